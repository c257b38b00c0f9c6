// @ts-check
/** What other tabs of this browser change, and when this one is looked at again: what is shown is then read anew. */
import { signal } from '../signals.js';

const CHANNEL = 'wenmai';
/** Books, their texts, jobs, networks and documents. Where somebody is in a book and what is asked changes none of them. */
const SHOWN = /^(?:sample|jobs\/[^/]+|libraries(?:\/[^/]+)?|libraries\/[^/]+\/(?:sources.*|tables)|networks\/[^/]+|documents.*)$/;

/** Counts changes from elsewhere. */
export const elsewhere = signal(0);
/** @type {BroadcastChannel | null} */
let channel = null;

/** @param {string} where below the API's address */
export const isShown = (where) => SHOWN.test(where);

/** Tell the other tabs that something was changed. @param {string} where */
export const tell = (where) => void (isShown(where) && channel?.postMessage(where));

/** Hear what other tabs tell, from now on. */
export function hear() {
  const changed = () => {
    elsewhere.value += 1;
  };
  channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', changed);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && changed());
}
