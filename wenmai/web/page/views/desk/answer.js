// @ts-check
import { t } from '../../i18n/index.js';
import { html, useCallback, useLayoutEffect, useRef } from '../../lib.js';
import { Markdown } from '../../parts/markdown.js';
import { useSignal } from '../../signals.js';
import { language } from '../../store.js';
import { withMarks } from './marks.js';

/** @typedef {import('../../api/threads.js').Citation} Citation */

/**
 * An answer with its marks, and where they lead.
 * @param {{ text: string, citations: readonly Citation[], cited?: number | null }} props  cited: the citation that is open
 */
export function Answer({ text, citations, cited = null }) {
  const spoken = useSignal(language);
  const numbers = citations.map((one) => one.n).join();
  const decorate = useCallback((/** @type {DocumentFragment} */ made) => withMarks(made, new Set(numbers.split(',').map(Number))), [numbers, spoken]);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    for (const one of box.current?.querySelectorAll('[data-n]') ?? []) one.classList.toggle('is-open', one instanceof HTMLElement && Number(one.dataset.n) === cited);
  });
  return html`<div class="desk-answer" ref=${box}>
    <${Markdown} text=${text} decorate=${decorate} />
    ${citations.length > 0 && html`<ul role="list" class="desk-sources" aria-label=${t('desk.sources')}>${citations.map((one) => html`<li key=${one.n}>
      <button type="button" class="chip" data-n=${one.n}><span class="desk-source-n">${one.n}</span><span class="chip-text">${nameOf(one)}</span></button></li>`)}</ul>`}
  </div>`;
}

/** @param {Citation} citation */
const nameOf = ({ title, location, source, n }) => [title ?? source, location].filter(Boolean).join(' · ') || t('desk.mark', { n });
