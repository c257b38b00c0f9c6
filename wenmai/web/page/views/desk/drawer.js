// @ts-check
import { t } from '../../i18n/index.js';
import { html, useEffect, useRef } from '../../lib.js';
import { Icon } from '../../parts/icon.js';

/**
 * A dialog that comes from the side; Escape and a click beside close it.
 * @param {{ title: string, onClose: () => void, children?: unknown }} props
 */
export function Drawer({ title, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return html`<dialog class="desk-drawer" ref=${dialog} aria-label=${title} onCancel=${onClose}
    onMouseDown=${(/** @type {MouseEvent} */ event) => event.target === dialog.current && onClose()}>
    <div class="desk-drawer-body">
      <button type="button" class="icon-button" aria-label=${t('parts.close')} onClick=${onClose}><${Icon} name="close" /></button>
      ${children}
    </div>
  </dialog>`;
}
