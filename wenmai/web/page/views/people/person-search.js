// @ts-check
import { t } from '../../i18n/index.js';
import { html, useId, useState } from '../../lib.js';
import { moved } from '../../parts/keys.js';

/** @typedef {{ name: string, aliases?: readonly string[] }} Named */

const MOST = 8;

/**
 * Return those with a text in a name, those first whose name begins with it.
 * @template {Named} T
 * @param {readonly T[]} all
 * @param {string} text
 * @returns {T[]}
 */
export function matching(all, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [...all];
  const found = all.filter((one) => [one.name, ...(one.aliases ?? [])].some((name) => name.toLowerCase().includes(wanted)));
  const begins = (/** @type {T} */ one) => (one.name.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((one, other) => begins(one) - begins(other));
}

/**
 * A field that finds somebody by name or alias.
 * @param {{ label: string, people: readonly Named[], onPick: (name: string) => void, placeholder?: string }} props
 */
export function PersonSearch({ label, people, onPick, placeholder }) {
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const found = text.trim() ? matching(people, text).slice(0, MOST) : [];
  /** @param {string} name */
  const pick = (name) => {
    setText('');
    onPick(name);
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.isComposing || !text) return;
    const next = ['ArrowUp', 'ArrowDown'].includes(event.key) ? moved(event.key, active, found.length, 'vertical') : null;
    if (next !== null) setActive(next);
    else if (event.key === 'Enter' && found[active]) pick(found[active].name);
    else if (event.key === 'Escape') setText('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const option = (/** @type {Named} */ one, /** @type {number} */ index) => html`<li role="option" id=${`${id}-${index}`} aria-selected=${index === active}
    onMouseDown=${(/** @type {Event} */ event) => (event.preventDefault(), pick(one.name))}>
    <span>${one.name}</span> <span class="muted small">${one.aliases?.slice(0, 3).join(t('people.comma'))}</span></li>`;
  return html`<div class="people-search">
    <input type="text" role="combobox" aria-label=${label} placeholder=${placeholder ?? label} autocomplete="off" value=${text}
      aria-expanded=${found.length > 0} aria-controls=${`${id}-list`} aria-autocomplete="list"
      aria-activedescendant=${found.length > 0 ? `${id}-${active}` : undefined} onKeyDown=${onKeyDown} onBlur=${() => setText('')}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => (setText(event.target.value), setActive(0))} />
    <ul id=${`${id}-list`} role="listbox" aria-label=${label} hidden=${found.length === 0}>${found.map(option)}</ul>
    ${text.trim() && found.length === 0 && html`<p class="people-search-none small muted" role="status">${t('people.nobody')}</p>`}
  </div>`;
}
