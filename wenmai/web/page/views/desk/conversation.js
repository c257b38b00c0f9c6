// @ts-check
/** One thread: its turns, the question on its way, the composer, and the citation that is open. */
import * as libraries from '../../api/libraries.js';
import * as threads from '../../api/threads.js';
import { t } from '../../i18n/index.js';
import { html, useRef, useState } from '../../lib.js';
import { useLoad } from '../../parts/load.js';
import { go, href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { useAsking } from './asking.js';
import { Composer } from './composer.js';
import { useDocuments, useDrop } from './documents.js';
import { GoneNote, isMissing } from './gone.js';
import { newId } from './ids.js';
import { shownTurns } from './live.js';
import { lost, withLost } from './lost.js';
import { Pane } from './pane.js';
import { useSteady } from './steady.js';
import { following, running } from './talks.js';
import { Talk } from './talk.js';

/** @typedef {threads.Turn} Turn */
/** @typedef {{ turn: Turn, n: number }} Cited */

/** @param {{ library: string | null, thread: string, isNew: boolean, query: Record<string, string> }} props */
export function Conversation({ library, thread, isNew, query }) {
  const { turns, live, error, reload } = useTurns(thread, isNew);
  const book = useLoad(async (signal) => (library === null ? null : libraries.get(library, null, signal)), [library]);
  const documents = useDocuments(thread);
  const { isOver, dropping } = useDrop(documents.addAll);
  const cited = citedOf(turns ?? [], query);
  /** @param {Record<string, string | number | undefined>} [wanted] @param {boolean} [replace] */
  const show = (wanted = {}, replace = true) => go(href('desk', { library, rest: [thread], query: wanted }), { replace });
  const isThreadGone = isMissing(error);
  const { gone, ask } = useAsking({ library, thread, turns, documents, isThreadGone, isBookGone: isMissing(book.error), onAsk: () => show() });
  const [edited, setEdited] = useState(/** @type {{ question: string } | null} */ (null));
  const last = live?.question ?? turns?.at(-1)?.question ?? '';
  return html`<div class=${cited ? 'desk-columns has-pane' : 'desk-columns'}>
    <div class=${isOver ? 'desk-middle is-over' : 'desk-middle'} ...${dropping}>
      <${Talk} library=${library} thread=${thread} book=${book.data} turns=${turns} live=${live} error=${error} isGone=${isThreadGone} hasDocuments=${documents.isAny} cited=${cited} shown=${Number(query.turn) || null}
        onReload=${reload} onAsk=${ask} onEdit=${(/** @type {string} */ question) => setEdited({ question })} onAskUnguarded=${(/** @type {string} */ question) => ask(question, thread, true)} onCite=${(/** @type {string} */ turn, /** @type {number} */ n) => show({ turn, cite: n }, cited !== null)} />
      <${Composer} library=${library} thread=${thread} isRunning=${live?.phase === 'running'} documents=${documents} last=${last} edited=${edited}
        returned=${gone?.question ?? null} quote=${query.quote ? t('desk.about', { quote: query.quote }) : ''} onAsk=${ask}>
        ${gone && html`<${GoneNote} gone=${gone} title=${book.data?.title ?? library ?? ''} library=${library} onAsk=${(/** @type {string} */ question) => ask(question, newId())} />`}
      <//>
    </div>
    ${cited && html`<${Pane} library=${library} thread=${thread} turn=${cited.turn} n=${cited.n} documents=${documents} onClose=${() => show()}
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
    if (known.current === null || (!isBusy && !isUnused)) known.current = await turnsOf(thread, known.current ?? [], signal);
    return known.current;
  }), [thread, isBusy]);
  const found = following(thread).value;
  const isKept = found?.phase === 'done' && kept.data?.some((one) => one.trace_id === found.answer?.trace_id);
  const live = isKept ? null : found;
  const missed = lost(thread).filter((one) => one.question !== live?.question);
  return { turns: kept.data && withLost(shownTurns(kept.data, live?.question ?? null), missed), live, error: kept.error, reload: kept.reload };
}

/** Those that were known stay when the thread is deleted elsewhere. @param {string} thread @param {Turn[]} before @param {AbortSignal} signal @returns {Promise<Turn[]>} */
async function turnsOf(thread, before, signal) {
  try {
    return await threads.turns(thread, signal);
  } catch (error) {
    const isNotYet = lost(thread).length > 0 || following(thread).value !== null;
    if (isMissing(error) && (before.length > 0 || isNotYet)) return before;
    throw error;
  }
}

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
