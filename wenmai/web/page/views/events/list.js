// @ts-check
/** The lanes as a list in story order, for the keyboard, screen readers and small windows. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { classOf, formOf, kindText } from './kinds.js';

const ROW = 88;

/** @typedef {import('./lanes.js').Happening} Happening */

/** @param {{ all: readonly Happening[], placeText: (one: Happening) => string, onOpen: (one: Happening) => void }} props */
export function List({ all, placeText, onOpen }) {
  const row = (/** @type {Happening} */ one) => html`<button type="button" class="events-row" onClick=${() => onOpen(one)}>
    <span class="events-row-head"><svg class=${classOf(one.kind)} viewBox="-8 -8 16 16" width="16" height="16" aria-hidden="true"><path d=${formOf(one.kind)} /></svg>
      <strong>${one.name}</strong><span class="muted small">${placeText(one)} · ${kindText(one.kind)}</span></span>
    <span class="events-row-quote">${one.sentence}</span><span class="muted small events-row-people">${one.people.join(t('people.comma'))}</span></button>`;
  return html`<${VirtualList} items=${all} rowHeight=${ROW} label=${t('events.list')} keyOf=${(/** @type {Happening} */ one) => one.id} row=${row} />`;
}
