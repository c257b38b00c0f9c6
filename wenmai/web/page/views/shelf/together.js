// @ts-check
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { enqueue } from './pending.js';

/** Asks whether several files are one library or several. @param {{ files: File[], onClose: () => void }} props */
export function Together({ files, onClose }) {
  /** @param {boolean} together */
  const choose = (together) => {
    onClose();
    enqueue(files, { together });
  };
  return html`<${Dialog} title=${t('shelf.several', { n: files.length })} onClose=${onClose}>
    <ul class="shelf-files">${files.map((file) => html`<li>${file.name}</li>`)}</ul>
    <div class="stack">
      <button type="button" class="shelf-choice" onClick=${() => choose(false)}><strong>${t('shelf.each')}</strong><span class="muted small">${t('shelf.eachHint')}</span></button>
      <button type="button" class="shelf-choice" onClick=${() => choose(true)}><strong>${t('shelf.one')}</strong><span class="muted small">${t('shelf.oneHint')}</span></button>
    </div>
  <//>`;
}
