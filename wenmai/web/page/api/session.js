// @ts-check
/**
 * The key of the user: kept for the session of the browser, and shared by its tabs; gone when the last of them is closed.
 * It is one that the server has accepted. Where another key, or none, follows it, the page begins anew: nothing of one
 * user is left for the next, also not in a tab that the browser has put away and brings back later.
 */
import { signal } from '../signals.js';
import { language } from '../store.js';
import { lose } from './connection.js';

/** @typedef {{ detail: string, isRefused: boolean, answer: (key: string | null) => Promise<void> }} Request */
/** @typedef {{ key: string } | { wanted: true } | { known: string }} Message  key: signed in, '' signed out; known: the answer to who wants one */

const PREFIX = 'wenmai.'; // of what the page keeps for a session
const NAME = `${PREFIX}key`;
const LEFT = `${PREFIX}left`; // when a key was last given up in this browser; no key is older than that
const ANSWER_MS = 150; // what another tab has to say so

let key = storedKey();
mark();

/** What the sign-in dialog shows now; null while nobody asks for a key. @type {import('../signals.js').Signal<Request | null>} */
export const signIn = signal(/** @type {Request | null} */ (null));
/** Whether a key was given, for the settings. */
export const hasKey = signal(key !== '');
/** @type {Promise<boolean> | null} */
let request = null;
/** @type {((key: string) => void) | null} */
let takeKey = null;
let isLeaving = false;
/** Only a page has other tabs. */
const tabs = typeof document === 'undefined' ? null : new BroadcastChannel(NAME);
tabs?.addEventListener('message', ({ data }) => hear(data));

/** The headers that say who asks, and in which language. @returns {Record<string, string>} */
export const identified = () => headersOf(key);

/** @param {string} token @returns {Record<string, string>} */
const headersOf = (token) => ({ 'accept-language': language.value, ...(token ? { authorization: `Bearer ${token}` } : {}) });

/**
 * Ask for a key once for all requests that wait: first another tab, then the user; false where the user gives none.
 * A request that was sent before the key came is only to be sent again.
 * @param {string} detail why it is asked for
 * @param {Record<string, string>} [sent]  how the request that was refused was identified
 * @returns {Promise<boolean>}
 */
export function askForKey(detail, sent) {
  if (key && sent && sent.authorization !== headersOf(key).authorization) return Promise.resolve(!isLeaving);
  request ??= (tabs ? keyOfOthers(tabs) : Promise.resolve(false)).then((isFound) => isFound || (!isLeaving && keyOfUser(detail))).finally(() => {
    request = null;
  });
  return request;
}

/** @param {string} detail @returns {Promise<boolean>} */
function keyOfUser(detail) {
  return new Promise((resolve) => {
    let isOpen = true;
    signIn.value = {
      detail,
      isRefused: key !== '',
      async answer(given) {
        const token = given?.trim() ?? null;
        if (token !== null && token !== key) {
          const isKnown = await isAccepted(token);
          if (!isOpen) return; // it was closed, or another tab has signed in
          if (!isKnown) {
            if (signIn.value) signIn.value = { ...signIn.value, isRefused: isKnown === false };
            return;
          }
          setKey(token);
        }
        isOpen = false;
        signIn.value = null;
        resolve(token !== null && !isLeaving);
      },
    };
  });
}

/** Return whether the server takes a key, null where it does not answer. @param {string} token */
async function isAccepted(token) {
  try {
    const { ok, status } = await fetch('/api/v1/me', { headers: headersOf(token) });
    if (ok || status === 401) return ok; // else a proxy speaks for a server that is away
  } catch {
    // it reached nobody
  }
  lose();
  return null;
}

/** Take the key of another tab, but for one that was refused here. @param {BroadcastChannel} others @returns {Promise<boolean>} */
function keyOfOthers(others) {
  return new Promise((resolve) => {
    const late = setTimeout(() => done(''), ANSWER_MS);
    /** @param {string} token */
    const done = (token) => {
      if (token !== '' && token === key) return;
      clearTimeout(late);
      takeKey = null;
      if (token) keep(token);
      resolve(token !== '' && !isLeaving);
    };
    takeKey = done;
    others.postMessage({ wanted: true });
  });
}

/** @param {Message} message */
function hear(message) {
  if ('wanted' in message) {
    if (key) tabs?.postMessage({ known: key });
  } else if ('known' in message) {
    if (takeKey) takeKey(message.known);
    else if (message.known !== key) signIn.value?.answer(message.known); // it came late: the user is asked already
  } else {
    if (message.key && takeKey) takeKey(message.key);
    else keep(message.key); // another tab has signed in, or out
    if (message.key) signIn.value?.answer(message.key);
  }
}

/** Sign in, in all tabs. @param {string} token that the server accepts; '' signs out */
export function setKey(token) {
  if (key !== '' && token !== key) inStorage(() => localStorage.setItem(LEFT, String(Date.now())));
  tabs?.postMessage({ key: token });
  keep(token);
}

/** @param {string} token */
function keep(token) {
  if (key !== '' && token !== key) beginAnew();
  key = token;
  hasKey.value = key !== '';
  mark();
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
  inStorage(() => {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX) && name !== NAME) sessionStorage.removeItem(name);
  });
}

/** The key that this tab had before it was loaded anew; '', and nothing else is kept either, where one was given up since. @returns {string} */
function storedKey() {
  const [time, token] = inStorage(() => sessionStorage.getItem(NAME))?.split(' ') ?? [timeLeft(), ''];
  if (time === timeLeft()) return token;
  forget();
  return '';
}

/** Keep the key, or that there is none yet, with the time that tells whether one was given up since. */
function mark() {
  inStorage(() => sessionStorage.setItem(NAME, `${timeLeft()} ${key}`));
}

/** @returns {string} */
function timeLeft() {
  return inStorage(() => localStorage.getItem(LEFT)) ?? '';
}

/**
 * Use the storage of the browser. Without one a key is asked for again where no other tab is open.
 * @template T @param {() => T} use @returns {T | null}
 */
function inStorage(use) {
  try {
    return use();
  } catch {
    return null;
  }
}
