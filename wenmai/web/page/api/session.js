// @ts-check
/** The key of the user: kept for the session of the browser, and shared by its tabs; gone when the last of them is closed. */
import { signal } from '../signals.js';
import { language } from '../store.js';

/** @typedef {{ detail: string, isRefused: boolean, answer: (key: string | null) => void }} Request */
/** @typedef {{ key: string } | { wanted: true }} Told */

const NAME = 'wenmai.key';
const ANSWER_MS = 150; // what another tab has to say so

let key = kept();

/** What the sign-in dialog shows now; null while nobody asks for a key. @type {import('../signals.js').Signal<Request | null>} */
export const signIn = signal(/** @type {Request | null} */ (null));
/** Whether a key was given, for the settings. */
export const hasKey = signal(key !== '');
/** @type {Promise<boolean> | null} */
let asked = null;
/** @type {((given: string) => void) | null} */
let waiting = null;
/** Only a page has other tabs. */
const tabs = typeof document === 'undefined' ? null : new BroadcastChannel(NAME);
tabs?.addEventListener('message', ({ data }) => hear(data));

/** The headers that say who asks, and in which language. @returns {Record<string, string>} */
export const identified = () => ({ 'accept-language': language.value, ...(key ? { authorization: `Bearer ${key}` } : {}) });

/**
 * Ask for a key once for all requests that wait: first another tab, then the user; false where the user gives none.
 * @param {string} detail why it is asked for
 * @returns {Promise<boolean>}
 */
export function askForKey(detail) {
  asked ??= (tabs ? keyOfOthers(tabs) : Promise.resolve(false)).then((isFound) => isFound || keyOfUser(detail)).finally(() => {
    asked = null;
  });
  return asked;
}

/** @param {string} detail @returns {Promise<boolean>} */
function keyOfUser(detail) {
  return new Promise((resolve) => {
    signIn.value = {
      detail,
      isRefused: key !== '',
      answer(given) {
        setKey(given ?? '');
        signIn.value = null;
        resolve(given !== null);
      },
    };
  });
}

/** Take the key of another tab, but for one that was refused here. @param {BroadcastChannel} others @returns {Promise<boolean>} */
function keyOfOthers(others) {
  return new Promise((resolve) => {
    const late = setTimeout(() => done(''), ANSWER_MS);
    /** @param {string} given */
    const done = (given) => {
      if (given !== '' && given === key) return;
      clearTimeout(late);
      waiting = null;
      if (given) keep(given);
      resolve(given !== '');
    };
    waiting = done;
    others.postMessage({ wanted: true });
  });
}

/** @param {Told} told */
function hear(told) {
  if ('wanted' in told) {
    if (key) tabs?.postMessage({ key });
  } else if (waiting) {
    waiting(told.key);
  } else {
    keep(told.key); // another tab has signed in, or out
    if (told.key) signIn.value?.answer(told.key);
  }
}

/** Sign in, in all tabs. @param {string} given '' signs out */
export function setKey(given) {
  keep(given.trim());
  tabs?.postMessage({ key });
}

/** @param {string} given */
function keep(given) {
  key = given;
  hasKey.value = key !== '';
  try {
    if (key) sessionStorage.setItem(NAME, key);
    else sessionStorage.removeItem(NAME);
  } catch {
    // Without storage the key is asked for again where no other tab is open.
  }
}

/** @returns {string} */
function kept() {
  try {
    return sessionStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}
