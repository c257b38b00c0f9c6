// @ts-check
import { t } from '../../i18n/index.js';
import { html, useCallback, useContext, useLayoutEffect, useRef } from '../../lib.js';
import { Markdown } from '../../parts/markdown.js';
import { printing } from '../../parts/printing.js';
import { useSignal } from '../../signals.js';
import { language } from '../../store.js';
import { withDoubts } from './doubts.js';
import { withMarks } from './marks.js';
import { InParts, placeName } from './places.js';

/** @typedef {import('../../api/threads.js').Citation} Citation */

/**
 * An answer with its marks, where they lead, and what the check doubts of it.
 * @param {{ text: string, citations: readonly Citation[], notes?: import('./doubts.js').Notes, cited?: number | null }} props  cited: the citation that is open
 */
export function Answer({ text, citations, notes, cited = null }) {
  const spoken = useSignal(language);
  const isPrinted = useSignal(printing);
  const inParts = useContext(InParts);
  const numbers = citations.map((one) => one.n).join();
  const decorate = useCallback((/** @type {DocumentFragment} */ made) => {
    withMarks(made, new Set(numbers.split(',').map(Number)));
    withDoubts(made, notes);
  }, [numbers, notes, spoken]);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    for (const one of box.current?.querySelectorAll('[data-n]') ?? []) one.classList.toggle('is-open', one instanceof HTMLElement && Number(one.dataset.n) === cited);
  });
  const nameOf = (/** @type {Citation} */ one) => placeName(one, inParts) || t('desk.mark', { n: one.n });
  return html`<div class="desk-answer" ref=${box}>
    <${Markdown} text=${text} decorate=${decorate} />
    ${citations.length > 0 && !isPrinted && html`<ul role="list" class="desk-chips" aria-label=${t('desk.sources')}>${citations.map((one) => html`<li key=${one.n}>
      <button type="button" class="chip" data-n=${one.n}><span class="desk-source-n">${one.n}</span><span class="chip-text">${nameOf(one)}</span></button></li>`)}</ul>`}
    ${citations.length > 0 && isPrinted && html`<ul role="list" class="desk-quotes">${citations.map((one) => html`<li key=${one.n}>[${one.n}] ${one.label || nameOf(one)}<blockquote>${one.quote}</blockquote></li>`)}</ul>`}
  </div>`;
}
