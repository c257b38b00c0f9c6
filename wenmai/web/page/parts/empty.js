// @ts-check
import { html } from '../lib.js';

/**
 * What stands where nothing is yet.
 * @param {{ title: string, hint?: string, children?: unknown }} props  children: what to do
 */
export function Empty({ title, hint, children }) {
  return html`<div class="empty">
    <p class="empty-title">${title}</p>
    ${hint && html`<p class="muted">${hint}</p>`}
    ${children && html`<div class="row center">${children}</div>`}
  </div>`;
}
