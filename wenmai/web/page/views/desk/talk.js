// @ts-check
/** The talk: turns from the oldest to the one on its way; it stays at the end as long as the reader is there. */
import { t } from '../../i18n/index.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../../lib.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { Loading } from '../../parts/progress.js';
import { plainText } from '../../parts/markdown.js';
import { isInParts } from '../../parts/positions.js';
import { useSignal } from '../../signals.js';
import { useGuard } from '../../store.js';
import { LiveTurn } from './live-turn.js';
import { markOf } from './marks.js';
import { InParts, isBeyond } from './places.js';
import { QuoteTip, useTip } from './quote-tip.js';
import { NoBook, Suggestions } from './suggestions.js';
import { following } from './talks.js';
import { Turn } from './turn.js';

/** @typedef {import('./conversation.js').Cited} Cited */
/** @typedef {import('../../api/threads.js').Turn} TurnRecord */

const NEAR = 60; // pixels from the end that count as the end

/**
 * @param {{ library: string | null, thread: string, book: import('../../api/libraries.js').Library | null, turns: TurnRecord[] | null,
 *   live: import('./live.js').Live | null, error: unknown, isGone: boolean, hasDocuments: boolean, cited: Cited | null, shown: number | null, onReload: () => void, onAsk: (question: string) => void,
 *   onEdit: (question: string) => void, onAskUnguarded: (question: string) => void,
 *   onCite: (turn: string, n: number) => void }} props
 */
export function Talk({ library, thread, book, turns, live, error, isGone, hasDocuments, cited, shown, onReload, onAsk, onEdit, onAskUnguarded, onCite }) {
  const { scroller, content, isAway, toEnd } = useEnd(live?.began, cited?.turn.number ?? shown, turns !== null);
  const tip = useTip();
  /** @param {MouseEvent} event */
  const onClick = (event) => {
    const found = markOf(event);
    if (!found) return;
    tip.hide();
    onCite(found.turn, found.n);
  };
  const isEmpty = turns?.length === 0 && !live;
  return html`<${InParts.Provider} value=${isInParts(book)}><div class="desk-talk" ref=${scroller} tabindex=${0} role="region" aria-label=${t('shell.desk')} onClick=${onClick} ...${tip.listeners}>
    <div class="desk-turns" ref=${content}>
      ${!isGone && (error ? html`<${ErrorLine} error=${error} onRetry=${onReload} />` : turns === null && !live && html`<${Loading} />`)}
      ${isEmpty && library === null && html`<${NoBook} hasDocuments=${hasDocuments} onAsk=${onAsk} />`}
      ${isEmpty && library !== null && book && html`<${Suggestions} library=${library} book=${book} onAsk=${onAsk} />`}
      ${turns?.map((turn, index) => html`<${Turn} key=${turn.number ?? `lost ${turn.question}`} library=${library} thread=${thread} turn=${turn} onAsk=${onAsk} onEdit=${onEdit} onAskUnguarded=${onAskUnguarded}
        isLast=${index === turns.length - 1 && !live} cited=${cited?.turn === turn ? cited.n : null} />`)}
      ${live && html`<${LiveTurn} key="live" library=${library} thread=${thread} onAsk=${onAsk} />`}
    </div>
    <${Announcer} library=${library} thread=${thread} />
    <${QuoteTip} tip=${tip} library=${library} turns=${turns ?? []} />
    ${isAway && html`<button type="button" class="chip desk-newest" onClick=${toEnd}><${Icon} name="down" />${t('desk.newest')}</button>`}
  </div><//>`;
}

/**
 * Keep the end of a growing text in view while the reader is there, and the turn of the citation that the address opened.
 * @param {number | undefined} asked  when the question on its way was sent: then the end is shown
 * @param {number | null} turn
 * @param {boolean} isReady
 */
function useEnd(asked, turn, isReady) {
  const scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const content = useRef(/** @type {HTMLElement | null} */ (null));
  const isAtEnd = useRef(turn === null);
  const [isAway, setAway] = useState(false);
  const toEnd = () => {
    isAtEnd.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  useEffect(() => {
    const box = /** @type {HTMLElement} */ (scroller.current);
    let top = box.scrollTop;
    const follow = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
      isAtEnd.current = isNear || (isAtEnd.current && box.scrollTop >= top); // only the reader scrolls up
      top = box.scrollTop;
      setAway(!isAtEnd.current);
    };
    let place = box.getBoundingClientRect().top;
    const observer = new ResizeObserver(() => {
      const moved = box.getBoundingClientRect().top - place; // by a line above: what is read stays where it is
      place += moved;
      if (isAtEnd.current && box.querySelector('.desk-turn')) toEnd();
      else if (moved) top = box.scrollTop += moved;
    });
    observer.observe(/** @type {HTMLElement} */ (content.current));
    observer.observe(box);
    box.addEventListener('scroll', follow, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', follow);
    };
  }, []);
  useLayoutEffect(() => {
    if (asked !== undefined) toEnd();
  }, [asked]);
  useLayoutEffect(() => {
    if (isReady && turn !== null) content.current?.querySelector(`[data-turn="${turn}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [isReady, turn]);
  return { scroller, content, isAway, toEnd };
}

/** @param {import('./live.js').Live} live */
const saidOf = ({ answer, text }) => (answer?.status === 'answer' ? `${t('desk.done')} ${plainText(text)}` : plainText(text));

/** Says each step, and the answer when it is there: not every word of a draft. @param {{ library: string | null, thread: string }} props */
function Announcer({ library, thread }) {
  const guard = useGuard(library);
  const live = useSignal(following(thread));
  const step = live?.phase === 'running' ? live.steps.at(-1) : null;
  const said = live?.phase === 'done' && (live.isUnguarded || !live.citations?.some((one) => isBeyond(one, guard))) ? saidOf(live) : step ? t(`desk.step_${step.kind}`) : '';
  return html`<p class="visually-hidden" aria-live="polite">${said}</p>`;
}
