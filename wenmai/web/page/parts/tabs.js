// @ts-check
import { html, useId, useRef } from '../lib.js';
import { moved } from './keys.js';

/**
 * Tabs over one panel; arrows move between them.
 * @param {{ label: string, tabs: { id: string, label: string }[], selected: string, onSelect: (id: string) => void, children?: unknown }} props
 */
export function Tabs({ label, tabs, selected, onSelect, children }) {
  const id = useId();
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    const next = moved(event.key, tabs.findIndex((one) => one.id === selected), tabs.length, 'horizontal');
    if (next === null) return;
    event.preventDefault();
    onSelect(tabs[next].id);
    /** @type {HTMLElement | undefined} */ (list.current?.querySelectorAll('[role=tab]')[next])?.focus();
  };
  return html`<div class="tabs">
    <div class="tab-list" role="tablist" aria-label=${label} ref=${list} onKeyDown=${onKeyDown}>
      ${tabs.map((one) => html`<button type="button" role="tab" id=${`${id}-${one.id}`} aria-selected=${one.id === selected}
        aria-controls=${`${id}-panel`} tabindex=${one.id === selected ? 0 : -1} onClick=${() => onSelect(one.id)}>${one.label}</button>`)}
    </div>
    <div role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${selected}`} tabindex=${0}>${children}</div>
  </div>`;
}
