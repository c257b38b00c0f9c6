// @ts-check
import { html, useId, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';

/**
 * A button with a panel above it; Escape and leaving it close the panel.
 * @param {{ label: string, icon: import('../../parts/icon.js').IconName, badge?: number, children?: unknown }} props
 */
export function Popover({ label, icon, badge = 0, children }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  /** @param {FocusEvent} event */
  const onFocusOut = (event) => {
    const to = /** @type {Node | null} */ (event.relatedTarget);
    if (to && !box.current?.contains(to)) setOpen(false);
  };
  return html`<div class="desk-popover" ref=${box} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut}>
    <button ref=${button} type="button" class="icon-button" aria-label=${label} title=${label} aria-expanded=${isOpen} aria-controls=${id}
      onClick=${() => setOpen(!isOpen)}><${Icon} name=${icon} />${badge > 0 && html`<span class="desk-badge">${badge}</span>`}</button>
    <div id=${id} class="desk-popover-panel" hidden=${!isOpen}>${isOpen && children}</div>
  </div>`;
}
