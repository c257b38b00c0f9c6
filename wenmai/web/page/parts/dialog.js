// @ts-check
import { t } from '../i18n/index.js';
import { html, useEffect, useId, useRef } from '../lib.js';
import { Icon } from './icon.js';
import { covers, DialogToasts } from './toast.js';

const FIELD = ':is(input:not([type=file]), textarea, select):not(:disabled)'; // a file is chosen by its button

/** Focus the first field of a dialog with what stands in it selected, or else its heading. @param {HTMLElement | null} dialog */
function begin(dialog) {
  const first = /** @type {HTMLElement | null | undefined} */ (dialog?.querySelector(FIELD) ?? dialog?.querySelector('h2'));
  first?.focus();
  if (first instanceof HTMLInputElement) first.select();
}

/**
 * A modal dialog: the browser holds the focus inside and gives it back; Escape and a click beside close it.
 * What was done is said in it too, for it covers the page.
 * It opens with the focus on its first field, on its heading where it has none, so that a key too many does nothing.
 * Render it only while it is open.
 * @param {{ title: string, onClose: () => void, children?: unknown, wide?: boolean, isHeld?: boolean }} props  isHeld: only its buttons close it
 */
export function Dialog({ title, onClose, children, wide = false, isHeld = false }) {
  const id = useId();
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const opener = /** @type {HTMLElement | null} */ (document.activeElement);
    const shown = dialog.current;
    shown?.showModal();
    covers.value += 1;
    begin(shown);
    return () => {
      shown?.close();
      covers.value -= 1;
      opener?.focus();
    };
  }, []);
  /** @param {Event} event */
  const cancel = (event) => {
    event.preventDefault();
    if (!isHeld) onClose();
  };
  return html`<dialog ref=${dialog} class=${wide ? 'dialog wide' : 'dialog'} aria-labelledby=${id} closedby=${isHeld ? 'none' : undefined} onCancel=${cancel}
    onMouseDown=${(/** @type {MouseEvent} */ event) => !isHeld && event.target === dialog.current && onClose()}>
    <div class="dialog-body">
      <header class="dialog-header">
        <h2 id=${id} tabindex=${-1}>${title}</h2>
        <button type="button" class="icon-button" aria-label=${t('parts.close')} onClick=${onClose}><${Icon} name="close" /></button>
      </header>
      ${children}
    </div>
    <${DialogToasts} />
  </dialog>`;
}

/**
 * Ask before something that cannot be undone.
 * @param {{ title: string, text: string, action: string, onConfirm: () => void, onClose: () => void }} props
 */
export function Confirm({ title, text, action, onConfirm, onClose }) {
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <p>${text}</p>
    <div class="row end">
      <button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button>
      <button type="button" class="button danger" onClick=${onConfirm}>${action}</button>
    </div>
  <//>`;
}
