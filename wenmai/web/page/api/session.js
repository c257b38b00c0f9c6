// @ts-check
/** The key of the user, in memory alone: it is gone with the page. */
import { signal } from '../signals.js';
import { language } from '../store.js';

/** @typedef {{ detail: string, isRefused: boolean, answer: (key: string | null) => void }} Request */

let key = '';

/** What the sign-in dialog shows now; null while nobody asks for a key. @type {import('../signals.js').Signal<Request | null>} */
export const signIn = signal(/** @type {Request | null} */ (null));
/** Whether a key was given, for the settings. */
export const hasKey = signal(false);
/** @type {Promise<boolean> | null} */
let asked = null;

/** The headers that say who asks, and in which language. @returns {Record<string, string>} */
export const identified = () => ({ 'accept-language': language.value, ...(key ? { authorization: `Bearer ${key}` } : {}) });

/**
 * Ask for a key once for all requests that wait; false where the user gives none.
 * @param {string} detail why it is asked for
 * @returns {Promise<boolean>}
 */
export function askForKey(detail) {
  asked ??= new Promise((resolve) => {
    signIn.value = {
      detail,
      isRefused: key !== '',
      answer(given) {
        setKey(given ?? '');
        signIn.value = null;
        asked = null;
        resolve(given !== null);
      },
    };
  });
  return asked;
}

/** @param {string} given '' signs out */
export function setKey(given) {
  key = given.trim();
  hasKey.value = key !== '';
}
