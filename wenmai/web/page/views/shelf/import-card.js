// @ts-check
/** An import: how far it is, and at its end what the book holds. */
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { Progress } from '../../parts/progress.js';
import { FileButton } from './drop-zone.js';
import { BOOK_TYPES } from './files.js';
import { again, dismiss, isOver, stop } from './imports.js';
import { Summary } from './summary.js';

/** @typedef {import('./imports.js').Import} Import */

/** @param {{ one: Import }} props */
export function ImportCard({ one }) {
  return html`<article class=${`card stack shelf-import is-${one.phase}`}>
    <header class="row shelf-import-head"><h2 tabindex=${-1}>${one.title}</h2>
      ${isOver(one) && html`<button type="button" class="icon-button" aria-label=${t('shelf.dismiss', { title: one.title })} onClick=${() => dismiss(one.id)}><${Icon} name="close" /></button>`}
    </header>
    ${one.phase === 'done' && one.job?.result ? html`<${Summary} library=${one.library} result=${one.job.result} />` : html`<${State} one=${one} />`}
  </article>`;
}

/** @param {{ one: Import }} props */
function State({ one }) {
  const [error, setError] = useState(/** @type {unknown} */ (null));
  if (one.phase === 'failed') {
    return html`<p class="error-line" role="alert"><span>${one.error}</span>${one.file && html`<${Again} one=${one} label=${t('parts.retry')} />`}</p>`;
  }
  if (one.phase === 'cancelled') {
    return html`<p role="status">${t('shelf.stopped')}</p><div class="row"><${Again} one=${one} label=${t('shelf.goOn')} /></div>`;
  }
  const halt = () => stop(one).catch(setError);
  return html`<${Bar} one=${one} />
    ${error && html`<${ErrorLine} error=${error} />`}
    <div class="row end"><button type="button" class="button" onClick=${halt}>${t('shelf.stop')}</button></div>`;
}

/** @param {{ one: Import, label: string }} props */
function Again({ one, label }) {
  const { file } = one;
  if (file) return html`<button type="button" class="button" onClick=${() => again(one, file)}>${label}</button>`;
  return html`<span class="muted small">${t('shelf.fileAgain')}</span>
    <${FileButton} label=${t('shelf.choose')} types=${BOOK_TYPES} onFiles=${(/** @type {File[]} */ [chosen]) => again(one, chosen)} />`;
}

/** @param {{ one: Import }} props */
function Bar({ one }) {
  const step = one.job?.progress;
  if (one.phase === 'waiting' || one.job?.is_waiting) return html`<${Progress} label=${t('shelf.waiting')} />`;
  if (one.phase === 'sending') return html`<${Progress} label=${t('shelf.sending')} value=${one.sent} />`;
  if (!step) return html`<${Progress} label=${t('shelf.starting')} />`;
  return html`<${Progress} label=${stepText(step)} value=${step.done} max=${step.total} remaining=${step.remaining} />`;
}

/** @param {import('../../api/libraries.js').Progress} step */
function stepText({ unit, chapter }) {
  if (unit === 'characters') return t('shelf.naming');
  return chapter ? t('shelf.embedding', { chapter }) : t('shelf.starting');
}
