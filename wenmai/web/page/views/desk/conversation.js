// @ts-check
/** One thread: its turns, the question on its way, the composer, and the citation that is open. */
import * as libraries from '../../api/libraries.js';
import * as server from '../../api/server.js';
import * as threads from '../../api/threads.js';
import { ApiError } from '../../api/problems.js';
import { html, useRef } from '../../lib.js';
import { useLoad } from '../../parts/load.js';
import { go, href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { useGuard } from '../../store.js';
import { Composer } from './composer.js';
import { useDocuments, useDrop } from './documents.js';
import { asksNetworks, choiceOf, chosen, fieldsOf } from './kits.js';
import { shownTurns } from './live.js';
import { Pane } from './pane.js';
import { useSteady } from './steady.js';
import { following, lost, running, start } from './talks.js';
import { Talk } from './talk.js';

/** @typedef {threads.Turn} Turn */
/** @typedef {{ turn: Turn, n: number }} Cited */

/** @param {{ library: string | null, thread: string, isNew: boolean, query: Record<string, string> }} props */
export function Conversation({ library, thread, isNew, query }) {
  const guard = useGuard(library);
  const { turns, live, error, reload } = useTurns(thread, isNew);
  const book = useLoad(async (signal) => (library === null ? null : libraries.get(library, null, signal)), [library]);
  const documents = useDocuments(thread);
  const choice = choiceOf(useSignal(chosen), library);
  const { isOver, dropping } = useDrop(documents.addAll);
  const cited = citedOf(turns ?? [], query);
  /** @param {Record<string, string | number | undefined>} [wanted] @param {boolean} [replace] */
  const show = (wanted = {}, replace = true) => go(href('desk', { library, rest: [thread], query: wanted }), { replace });
  /** @param {string} question */
  const ask = (question) => {
    performance.mark('desk:ask');
    void start(thread, question, { library, guard, kits: async (signal) => {
      const networks = asksNetworks(choice, library) ? (await server.networks(signal)).map((one) => one.id) : [];
      return fieldsOf(choice, { library, networks, hasDocuments: documents.isAny });
    } });
    show();
  };
  const last = live?.question ?? turns?.at(-1)?.question ?? '';
  return html`<div class=${cited ? 'desk-columns has-pane' : 'desk-columns'}>
    <div class=${isOver ? 'desk-middle is-over' : 'desk-middle'} ...${dropping}>
      <${Talk} library=${library} thread=${thread} book=${book.data} turns=${turns} live=${live} error=${error} cited=${cited}
        onReload=${reload} onAsk=${ask} onCite=${(/** @type {string} */ turn, /** @type {number} */ n) => show({ turn, cite: n }, cited !== null)} />
      <${Composer} library=${library} thread=${thread} isRunning=${live?.phase === 'running'} documents=${documents} last=${last} onAsk=${ask} />
    </div>
    ${cited && html`<${Pane} library=${library} thread=${thread} turn=${cited.turn} n=${cited.n} onClose=${() => show()}
      onSelect=${(/** @type {number} */ n) => show({ turn: cited.turn.number ?? undefined, cite: n })} />`}
  </div>`;
}

/**
 * The turns that are kept, and the question on its way; what was lost with its server or its page counts as not answered.
 * @param {string} thread
 * @param {boolean} isNew
 */
function useTurns(thread, isNew) {
  const isBusy = useSignal(running).includes(thread);
  const known = useRef(/** @type {Turn[] | null} */ (isNew && !isBusy && following(thread).value === null ? [] : null));
  const kept = useLoad(useSteady(async (signal) => {
    const isUnused = known.current?.length === 0 && following(thread).value === null;
    if (known.current === null || (!isBusy && !isUnused)) known.current = await turnsOf(thread, signal);
    return known.current;
  }), [thread, isBusy]);
  const found = following(thread).value;
  const isKept = found?.phase === 'done' && kept.data?.some((one) => one.trace_id === found.answer?.trace_id);
  const live = isKept ? null : found;
  return { turns: kept.data && withLost(shownTurns(kept.data, live?.question ?? null), live ? null : lost(thread)), live, error: kept.error, reload: kept.reload };
}

/** @param {string} thread @param {AbortSignal} signal @returns {Promise<Turn[]>} */
async function turnsOf(thread, signal) {
  try {
    return await threads.turns(thread, signal);
  } catch (error) {
    const isNotYet = error instanceof ApiError && error.status === 404 && (lost(thread) !== null || following(thread).value !== null);
    if (isNotYet) return [];
    throw error;
  }
}

/** @param {Turn[]} turns @param {string | null} missed */
const withLost = (turns, missed) =>
  missed === null || turns.some((one) => one.question === missed) ? turns
    : [...turns, /** @type {Turn} */ (/** @type {unknown} */ ({ number: null, question: missed, answer: '' }))];

/**
 * Return the citation that the address names: of its turn, else of the last turn that has it.
 * @param {readonly Turn[]} turns
 * @param {Record<string, string>} query
 * @returns {Cited | null}
 */
export function citedOf(turns, { turn, cite }) {
  const n = Number(cite);
  if (!cite || !Number.isInteger(n)) return null;
  const found = turns.findLast((one) => (turn ? String(one.number) === turn : one.citations?.some((known) => known.n === n)));
  return found ? { turn: found, n } : null;
}
