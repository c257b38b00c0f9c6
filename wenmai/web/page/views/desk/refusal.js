// @ts-check
/** Beneath a refusal: the passages that come nearest, as such, and the way beyond the guard, which asks first. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Confirm } from '../../parts/dialog.js';
import { useLoad } from '../../parts/load.js';
import { Rows } from './pieces.js';

const MOST = 3;

/**
 * @param {{ library: string, turn: import('../../api/threads.js').Turn, guard: import('../../store.js').Guard | null,
 *   onAskUnguarded: (question: string) => void }} props
 */
export function Refusal({ library, turn, guard, onAskUnguarded }) {
  const [isAsked, setAsked] = useState(false);
  const question = turn.resolved_question ?? turn.question;
  const near = useLoad((signal) => stories.nearest(library, { guard, signal, query: { q: question, limit: MOST } }), [library, question, guard], guard);
  const confirm = () => {
    setAsked(false);
    onAskUnguarded(question);
  };
  return html`<div class="desk-refusal">
    ${Boolean(near.data?.length) && html`<section class="desk-nearest"><h3>${t('desk.nearest')}</h3><p class="muted small">${t('desk.nearestHint')}</p>
      <${Rows} pieces=${near.data?.map((one) => ({ ...one, library })) ?? []} /></section>`}
    ${turn.as_of && guard && html`<p><button type="button" class="button quiet" onClick=${() => setAsked(true)}>${t('desk.unguarded')}</button></p>`}
    ${isAsked && html`<${Confirm} title=${t('desk.unguardedTitle')} text=${t('desk.unguardedText')} action=${t('desk.unguardedDo')} onConfirm=${confirm} onClose=${() => setAsked(false)} />`}
  </div>`;
}
