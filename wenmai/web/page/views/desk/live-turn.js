// @ts-check
/** The question on its way. */
import { t } from '../../i18n/index.js';
import { html, useEffect } from '../../lib.js';
import { ErrorLine, useHolding } from '../../parts/error-line.js';
import { isWithin } from '../../parts/positions.js';
import { useSignal } from '../../signals.js';
import { useGuard } from '../../store.js';
import { Answer } from './answer.js';
import { shownText } from './live.js';
import { isBeyond } from './places.js';
import { Asides, Trail } from './process.js';
import { Question } from './question.js';
import { following } from './talks.js';

/** @param {{ library: string | null, thread: string, onAsk: (question: string) => void }} props */
export function LiveTurn({ library, thread, onAsk }) {
  const guard = useGuard(library);
  const live = useSignal(following(thread));
  const isStepping = Boolean(live?.steps.length);
  useEffect(() => {
    if (isStepping && performance.getEntriesByName('desk:ask').length) performance.measure('desk:first-step', 'desk:ask');
  }, [isStepping]);
  if (!live) return null;
  const { text, isDraft } = shownText(live);
  const isHidden = !live.isUnguarded && !isWithin(live.guard, guard) && (live.citations?.some((one) => isBeyond(one, guard)) ?? true);
  return html`<article class="desk-turn is-live" aria-busy=${live.phase === 'running'} data-turn="">
    <${Question} text=${live.question} understood=${null} onAsk=${onAsk} />
    <${Trail} live=${live} />
    ${isHidden ? html`<p class="desk-note">${t('desk.setBack')}</p>` : html`<${Asides} live=${live} />`}
    ${text && !isHidden && html`<div class=${isDraft ? 'desk-draft' : ''}><${Answer} text=${text} citations=${live.citations ?? []} notes=${live.answer?.notes} /></div>`}
    <${Ending} live=${live} onAsk=${onAsk} />
  </article>`;
}

/** What is said of a question without its answer. @param {{ live: import('./live.js').Live, onAsk: (question: string) => void }} props */
function Ending({ live: { phase, error, question }, onAsk }) {
  const again = () => onAsk(question);
  if (useHolding(phase === 'failed' && error)) return html`<${ErrorLine} error=${error} onRetry=${again} />`;
  if (phase !== 'failed' && phase !== 'stopped') return null;
  return html`<p class="desk-note">${t(phase === 'stopped' ? 'desk.stopped' : 'desk.unanswered')}
    <button type="button" class="button quiet" onClick=${again}>${t('desk.askAgain')}</button></p>`;
}
