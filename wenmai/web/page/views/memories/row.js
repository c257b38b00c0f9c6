// @ts-check
import { date, t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { isWithheld, typeText } from './texts.js';

export const ROW = 88; // pixels: two lines of text, one about them

/** @param {{ memory: import('../../api/memories.js').Memory, onEdit: () => void, onForget: () => void }} props */
export function Row({ memory, onEdit, onForget }) {
  const [isShown, setShown] = useState(false);
  const isMasked = memory.is_sensitive && !isShown;
  const name = memory.is_sensitive ? t('memories.sensitive') : memory.content.slice(0, 40);
  return html`<div class="memories-row">
    <div class="memories-text">
      ${isWithheld(memory) ? html`<p class="muted memories-content">${t('memories.withheld')}</p>`
        : isMasked ? html`<p><button type="button" class="button quiet memories-mask" onClick=${() => setShown(true)}><${Icon} name="eye" />${t('memories.show')}</button></p>`
        : html`<p class="memories-content">${memory.content}</p>`}
      <p class="muted small memories-about">${[typeText(memory.type), ...(memory.is_sensitive ? [t('memories.sensitive')] : []), date(memory.created_at)].join(' · ')}</p>
    </div>
    <div class="memories-tools">
      <button type="button" class="icon-button" aria-label=${t('memories.edit', { name })} disabled=${isWithheld(memory)} onClick=${onEdit}><${Icon} name="edit" /></button>
      <button type="button" class="icon-button" aria-label=${t('memories.forget', { name })} onClick=${onForget}><${Icon} name="trash" /></button>
    </div>
  </div>`;
}
