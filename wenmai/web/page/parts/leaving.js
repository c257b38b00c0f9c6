// @ts-check
import { useLayoutEffect, useRef } from '../lib.js';
import { route } from '../router.js';

/**
 * Close a panel on Escape, on a click elsewhere, when the focus goes elsewhere, and when another view is shown.
 * @param {boolean} isOpen
 * @param {() => void} close
 * @returns {{ current: HTMLElement | null }}  for the box of the panel and of its button, which gets the focus after Escape
 */
export function useLeaving(isOpen, close) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => (isOpen ? listening(box, close) : undefined), [isOpen]);
  return box;
}

/** Whether nobody works in a dialog or in the guard's panel: what comes late may then take the focus. */
export const isFocusFree = () => !document.querySelector('dialog[open], .library-bar [aria-expanded="true"]');

/** Whether a key is an Escape that nothing else takes: no dialog is open. @param {KeyboardEvent} event */
export const isEscape = (event) => event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]');

/** @param {{ current: HTMLElement | null }} box @param {() => void} close */
function listening(box, close) {
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (!isEscape(event)) return;
    event.preventDefault();
    close();
    box.current?.querySelector('button')?.focus();
  };
  /** A click on words focuses what holds them, such as the page around the panel: nobody has left. @param {Event} event */
  const onElsewhere = ({ type, target }) => {
    if (!(target instanceof Node) || box.current?.contains(target)) return;
    if (type !== 'focusin' || !target.contains(box.current)) close();
  };
  const kept = route.value.view;
  const stopFollowing = route.subscribe((next) => next.view !== kept && close());
  document.addEventListener('keydown', onKeyDown);
  document.addEventListener('pointerdown', onElsewhere);
  document.addEventListener('focusin', onElsewhere);
  return () => {
    stopFollowing();
    document.removeEventListener('keydown', onKeyDown);
    document.removeEventListener('pointerdown', onElsewhere);
    document.removeEventListener('focusin', onElsewhere);
  };
}
