// @ts-check
/** A question with its answer, as it is kept. */
import { t } from '../../i18n/index.js';
import { html, useRef, useState } from '../../lib.js';
import { plainText } from '../../parts/markdown.js';
import { useGuard } from '../../store.js';
import { Answer } from './answer.js';
import { callsOf } from './live.js';
import { useNear } from './near.js';
import { isBeyond } from './places.js';
import { Process } from './process.js';
import { Choices, Question } from './question.js';
import { Refusal } from './refusal.js';
import { processes } from './talks.js';
import { TurnActions } from './turn-actions.js';
import { Verdict } from './verdict.js';
import { isOfBook } from './verdicts.js';

/** @typedef {import('../../api/threads.js').Turn} Record */

/** @param {{ library: string | null, thread: string, turn: Record, isLast: boolean, cited: number | null, onAsk: (question: string) => void, onEdit: (question: string) => void,
 *   onAskUnguarded: (question: string) => void }} props */
export function Turn({ library, thread, turn, isLast, cited, onAsk, onEdit, onAskUnguarded }) {
  const owner = turn.library ?? library; // '' where no book was asked
  const guard = useGuard(owner);
  const live = processes.get(turn.trace_id ?? '') ?? null;
  const [isWanted, setWanted] = useState(live?.isUnguarded ?? false);
  const citations = turn.citations ?? [];
  const isHidden = !isWanted && citations.some((one) => isBeyond(one, guard));
  const isRefused = turn.status === 'not_found' && isOfBook({ library: owner, tool_calls: turn.tool_calls });
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const isNear = useNear(box, isLast);
  return html`<article class=${isLast ? 'desk-turn' : 'desk-turn is-past'} ref=${box} data-turn=${turn.number ?? ''}>
    <${Question} text=${turn.question} understood=${isHidden ? null : turn.resolved_question ?? null}
      candidates=${isHidden || turn.status === 'clarify' ? [] : turn.candidates} onAsk=${onAsk} />
    ${!turn.answer ? html`<${Unanswered} turn=${turn} onAsk=${onAsk} />`
      : isHidden ? html`<p class="desk-note">${t('desk.beyondTurn')} <button type="button" class="button quiet" onClick=${() => setWanted(true)}>${t('desk.showAnyway')}</button></p>`
        : isNear ? html`<${Process} live=${live} calls=${callsOf(turn.tool_calls ?? [])} thread=${thread} turn=${turn.number ?? null} guard=${guard} />
          <${Answer} text=${turn.answer} citations=${citations} notes=${turn.notes} cited=${cited} />
          ${turn.status === 'clarify' && html`<${Choices} candidates=${turn.candidates ?? []} onAsk=${onAsk} />`}
          <${Verdict} thread=${thread} turn=${turn} />
          ${isRefused && html`<${Refusal} library=${owner} turn=${turn} guard=${guard} onAskUnguarded=${onAskUnguarded} />`}
          <${TurnActions} thread=${thread} turn=${turn} onAsk=${onAsk} onEdit=${onEdit} />` : html`<p class="desk-far">${plainText(turn.answer)}</p>`}
  </article>`;
}

/** @param {{ turn: Record & import('./lost.js').Stopped, onAsk: (question: string) => void }} props */
const Unanswered = ({ turn, onAsk }) => html`<p class="desk-note">${t(turn.isStopped ? 'desk.stopped' : 'desk.unanswered')}
  <button type="button" class="button quiet" onClick=${() => onAsk(turn.question)}>${t('desk.askAgain')}</button></p>`;
