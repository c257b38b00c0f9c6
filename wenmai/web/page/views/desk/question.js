// @ts-check
import { t } from '../../i18n/index.js';
import { html, useId, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';

/** @typedef {NonNullable<import('../../api/threads.js').Turn['candidates']>} Candidates */

/**
 * A question, as what it was understood, which the user may correct, and what else it may mean.
 * @param {{ text: string, understood: string | null, candidates?: Candidates, onAsk: (question: string) => void }} props
 */
export function Question({ text, understood, candidates = [], onAsk }) {
  const [given, setGiven] = useState(/** @type {string | null} */ (null));
  const id = useId();
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (!given?.trim()) return;
    setGiven(null);
    onAsk(given.trim());
  };
  return html`<h2 class="desk-question">${text}</h2>
    ${understood && understood !== text && (given === null
      ? html`<p class="desk-understood muted"><span>${t('desk.understood')} <span class="desk-understood-text">${understood}</span></span>
        <button type="button" class="icon-button" aria-label=${t('desk.correct')} title=${t('desk.correct')} onClick=${() => setGiven(understood)}><${Icon} name="edit" /></button></p>`
      : html`<form class="desk-correct" onSubmit=${submit} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === 'Escape' && (event.stopPropagation(), setGiven(null))}>
        <label class="field" for=${id}><span>${t('desk.correctLabel')}</span></label>
        <input id=${id} required value=${given} ref=${focus} onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setGiven(event.target.value)} />
        <div class="row end"><button type="button" class="button quiet" onClick=${() => setGiven(null)}>${t('parts.cancel')}</button>
          <button type="submit" class="button primary">${t('desk.askAgain')}</button></div>
      </form>`)}
    <${Choices} candidates=${candidates} onAsk=${onAsk} />`;
}

/** What a question may mean, to choose from. @param {{ candidates: Candidates, onAsk: (question: string) => void }} props */
export const Choices = ({ candidates, onAsk }) => candidates.length > 0 && html`<div class="desk-candidates" role="group" aria-label=${t('desk.candidates')}><span class="muted">${t('desk.candidates')}</span>
  ${candidates.map((one) => html`<button type="button" class="chip" key=${one.question} title=${one.question} onClick=${() => onAsk(one.question)}><span class="chip-text">${one.entity}</span></button>`)}</div>`;

/** @param {HTMLElement | null} field */
const focus = (field) => field && document.activeElement !== field && !field.dataset.seen && (field.dataset.seen = '1', field.focus());
