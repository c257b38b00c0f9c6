// @ts-check
/**
 * The key of the user: kept for the session of the browser, and shared by its tabs; gone when the last of them is closed.
 * Where another key, or none, follows a key, the page begins anew: nothing of one user is left for the next.
 */
import { signal } from '../signals.js';
import { language } from '../store.js';

/** @typedef {{ detail: string, isRefused: boolean, answer: (key: string | null) => void }} Request */
/** @typedef {{ key: string } | { wanted: true } | { known: string }} Told  key: signed in, '' signed out; known: the answer to who wants one */

const KEPT = 'wenmai.'; // what the page keeps for a session
const NAME = `${KEPT}key`;
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
let isLeaving = false;
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
  asked ??= (tabs ? keyOfOthers(tabs) : Promise.resolve(false)).then((isFound) => isFound || (!isLeaving && keyOfUser(detail))).finally(() => {
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
        if (given !== null && given.trim() !== key) setKey(given);
        signIn.value = null;
        resolve(given !== null && !isLeaving);
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
      resolve(given !== '' && !isLeaving);
    };
    waiting = done;
    others.postMessage({ wanted: true });
  });
}

/** @param {Told} told */
function hear(told) {
  if ('wanted' in told) {
    if (key) tabs?.postMessage({ known: key });
  } else if ('known' in told) {
    waiting?.(told.known);
  } else {
    if (told.key && waiting) waiting(told.key);
    else keep(told.key); // another tab has signed in, or out
    if (told.key) signIn.value?.answer(told.key);
  }
}

/** Sign in, in all tabs. @param {string} given '' signs out */
export function setKey(given) {
  tabs?.postMessage({ key: given.trim() });
  keep(given.trim());
}

/** @param {string} given */
function keep(given) {
  if (key !== '' && given !== key) beginAnew();
  key = given;
  hasKey.value = key !== '';
  try {
    if (key) sessionStorage.setItem(NAME, key);
    else sessionStorage.removeItem(NAME);
  } catch {
    // Without storage the key is asked for again where no other tab is open.
  }
}

/** Load the page anew without what was kept for the user before. */
function beginAnew() {
  forget();
  if (typeof document === 'undefined') return;
  isLeaving = true;
  addEventListener('pagehide', forget); // what is still written until then goes too
  location.reload();
}

/** Drop what this tab keeps for the session, but for the key. */
function forget() {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(KEPT) && name !== NAME) sessionStorage.removeItem(name);
  } catch {
    // Without storage nothing is kept.
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
