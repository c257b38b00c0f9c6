// @ts-check
import { html, useId, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { useLeaving } from '../../parts/leaving.js';

/**
 * A button with a panel above it; Escape and leaving it close the panel.
 * @param {{ label: string, icon: import('../../parts/icon.js').IconName, badge?: number, children?: unknown }} props
 */
export function Popover({ label, icon, badge = 0, children }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const box = useLeaving(isOpen, () => setOpen(false));
  return html`<div class="desk-popover" ref=${box}>
    <button type="button" class="icon-button" aria-label=${label} title=${label} aria-expanded=${isOpen} aria-controls=${id}
      onClick=${() => setOpen(!isOpen)}><${Icon} name=${icon} />${badge > 0 && html`<span class="desk-badge">${badge}</span>`}</button>
    <div id=${id} class="desk-popover-panel" hidden=${!isOpen}>${isOpen && children}</div>
  </div>`;
}
