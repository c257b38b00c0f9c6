// @ts-check
import { t } from '../i18n/index.js';
import { html, useId, useLayoutEffect, useRef } from '../lib.js';
import { Icon } from './icon.js';
import { isEscape } from './leaving.js';

/**
 * A card beside a list: its title has the focus, also when it changes; Escape inside closes it.
 * @param {{ title: string, onClose: () => void, children?: unknown }} props
 */
export function SideCard({ title, onClose, children }) {
  const id = useId();
  const head = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => head.current?.focus({ preventScroll: true }), [title]);
  return html`<aside class="people-card card" aria-labelledby=${id} onKeyDown=${(/** @type {KeyboardEvent} */ event) => isEscape(event) && onClose()}>
    <header class="people-card-head">
      <h2 id=${id} tabindex=${-1} ref=${head}>${title}</h2>
      <button type="button" class="icon-button" aria-label=${t('parts.close')} onClick=${onClose}><${Icon} name="close" /></button>
    </header>
    ${children}
  </aside>`;
}
