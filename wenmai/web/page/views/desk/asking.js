// @ts-check
/** How a question of a conversation is asked, and what is said where its thread or its book is deleted meanwhile. */
import * as server from '../../api/server.js';
import { useState } from '../../lib.js';
import { go, href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { useGuard } from '../../store.js';
import { demand, whatIsGone } from './gone.js';
import { asksNetworks, choiceOf, chosen, fieldsOf, remembers } from './kits.js';
import { release } from './lost.js';
import { following, forget, start } from './talks.js';

/** @typedef {import('../../api/threads.js').Turn} Turn */
/** @typedef {import('./gone.js').Gone} Gone */

/**
 * @param {{ library: string | null, thread: string, turns: Turn[] | null, documents: import('./documents.js').Documents,
 *   isThreadGone: boolean, isBookGone: boolean, onAsk: () => void }} conversation
 */
export function useAsking({ library, thread, turns, documents, isThreadGone, isBookGone, onAsk }) {
  const guard = useGuard(library);
  const choice = choiceOf(useSignal(chosen), library);
  const [refused, setRefused] = useState(/** @type {Gone | null} */ (null));
  const after = Math.max(0, ...(turns ?? []).map((one) => one.number ?? 0));
  /** @param {string} question @param {string} [on]  another thread, which begins with it @param {boolean} [isUnguarded]  the whole book answers */
  const ask = async (question, on = thread, isUnguarded = false) => {
    const isHere = on === thread;
    performance.mark('desk:ask');
    setRefused(null);
    const asked = start(on, question, { library, guard: isUnguarded ? null : guard, isUnguarded, after: isHere ? after : 0, kits: async (signal) => {
      if (isHere && (after > 0 || isThreadGone)) await demand(thread, signal);
      const networks = asksNetworks(choice, library) ? (await server.networks(signal)).map((one) => one.id) : [];
      return { ...fieldsOf(choice, { library, networks, ...seenIn(documents, isHere) }), ...(remembers.value && { remember: true }) };
    } });
    if (isHere) onAsk();
    else go(href('desk', { library, rest: [on] }));
    await asked;
    const what = await whatIsGone(following(on).value, library);
    if (!what || !isHere) return;
    release(on, question);
    forget(on);
    setRefused({ what, question });
  };
  return { gone: refused ?? missing(isThreadGone, isBookGone), ask };
}

/** What documents there are to ask: another thread has none but the collection's, and everybody's. @param {import('./documents.js').Documents} documents @param {boolean} isHere */
const seenIn = ({ all, isKnown, isAny, isOwn }, isHere) => ({
  hasDocuments: isHere ? isAny : all.some((one) => one.is_preloaded || one.folder !== null),
  isOwn: isHere ? isOwn : all.some((one) => one.is_preloaded),
  folders: isKnown ? all.flatMap((one) => one.folder ?? []) : undefined,
});

/** @param {boolean} isThreadGone @param {boolean} isBookGone @returns {Gone | null} */
function missing(isThreadGone, isBookGone) {
  if (isBookGone) return { what: 'library', question: null };
  return isThreadGone ? { what: 'thread', question: null } : null;
}
