// @ts-check
import { html, useId, useLayoutEffect, useRef, useState } from '../lib.js';
import { Icon } from './icon.js';
import { moved } from './keys.js';
import { useLeaving } from './leaving.js';

/** @typedef {{ label: string, onSelect: () => void, isDanger?: boolean, isDisabled?: boolean }} MenuItem */

/** Whether the end of a list lies outside of the window, below what is fixed there, or where a panel cuts it off. @param {HTMLElement} list @param {'left' | 'right'} side */
function isCovered(list, side) {
  const { left, right, bottom } = list.getBoundingClientRect();
  return !list.contains(document.elementFromPoint(side === 'left' ? left + 4 : right - 4, bottom - 4));
}

/**
 * A button that opens a list of actions.
 * @param {{ label: string, items: MenuItem[], icon?: import('./icon.js').IconName }} props
 */
export function Menu({ label, items, icon = 'more' }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const box = useLeaving(isOpen, () => setOpen(false));
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const list = /** @type {HTMLElement | null | undefined} */ (box.current?.querySelector('[role=menu]'));
    if (!list) return;
    if (isCovered(list, 'right')) list.classList.add('is-up');
    if (isCovered(list, 'left')) list.classList.add('is-start');
    /** @type {HTMLElement | null} */ (list.querySelector('[role=menuitem]'))?.focus();
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    const all = /** @type {HTMLElement[]} */ ([...(box.current?.querySelectorAll('[role=menuitem]') ?? [])]);
    const next = moved(event.key, all.indexOf(/** @type {HTMLElement} */ (document.activeElement)), all.length, 'vertical');
    if (event.key === 'Escape') close();
    else if (next !== null) all[next]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="menu" ref=${box}>
    <button ref=${button} type="button" class="icon-button" aria-label=${label} title=${label} aria-haspopup="menu" aria-expanded=${isOpen}
      aria-controls=${id} onClick=${() => setOpen(!isOpen)}><${Icon} name=${icon} /></button>
    ${isOpen && html`<div id=${id} class="menu-list" role="menu" aria-label=${label} tabindex=${-1} onKeyDown=${onKeyDown}>
      ${items.map((item) => html`<button type="button" role="menuitem" tabindex=${-1} disabled=${item.isDisabled}
        class=${item.isDanger ? 'danger-text' : ''} onClick=${() => (close(), item.onSelect())}>${item.label}</button>`)}
    </div>`}
  </div>`;
}
