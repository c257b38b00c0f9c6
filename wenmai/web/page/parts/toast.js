// @ts-check
/** A line that says what was done, with a way back for a while. */
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { signal, useSignal } from '../signals.js';
import { Icon } from './icon.js';

const SHOWN_MS = 10_000;

/** @typedef {{ id: number, text: string, undo?: () => unknown }} Toast */

const toasts = signal(/** @type {Toast[]} */ ([]));
let last = 0;

/** @param {number} id */
const dismiss = (id) => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

/**
 * Say what was done.
 * @param {string} text
 * @param {{ undo?: () => unknown }} [options]
 */
export function toast(text, { undo } = {}) {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, text, undo }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Counts the dialogs that cover the page: toasts are then in them. */
export const covers = signal(0);

/** Where toasts appear on the page; the shell has it. */
export function Toasts() {
  const isCovered = useSignal(covers) > 0;
  return html`<div class="toasts" role="status" aria-live="polite">${!isCovered && html`<${Rows} />`}</div>`;
}

/** Where they appear in a dialog. */
export const DialogToasts = () => useSignal(toasts).length > 0 && html`<div class="toasts" role="status"><${Rows} /></div>`;

const Rows = () => useSignal(toasts).map((one) => html`<div class="toast" key=${one.id}>
  <span>${one.text}</span>
  ${one.undo && html`<button type="button" class="button quiet" onClick=${() => (dismiss(one.id), one.undo?.())}>${t('parts.undo')}</button>`}
  <button type="button" class="icon-button" aria-label=${t('parts.close')} onClick=${() => dismiss(one.id)}><${Icon} name="close" /></button>
</div>`);
