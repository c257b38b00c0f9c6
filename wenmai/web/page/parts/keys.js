// @ts-check
/** Keys: movement in lists, and the page's shortcuts. */
import { useLayoutEffect } from '../lib.js';
import { signal } from '../signals.js';

const AXES = {
  vertical: { ArrowUp: -1, ArrowDown: 1 },
  horizontal: { ArrowLeft: -1, ArrowRight: 1 },
};

/**
 * Return the place that a key leads to in a row of `count`, around its ends; null for a key that leads nowhere.
 * @param {string} key
 * @param {number} place
 * @param {number} count
 * @param {'vertical' | 'horizontal'} axis
 */
export function moved(key, place, count, axis) {
  if (count === 0) return null;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = /** @type {Record<string, number>} */ (AXES[axis])[key];
  return step === undefined ? null : (place + step + count) % count;
}

/** @typedef {{ keys: string, label: () => string, run: () => void }} Shortcut  keys: one key, two after each other: `g s`, or one with Ctrl or ⌘: `Ctrl+K` */

/** The shortcuts that work now, for the help. */
export const shortcuts = signal(/** @type {Shortcut[]} */ ([]));

/**
 * Offer shortcuts as long as a component is shown; `run` may change at each render, `keys` stay.
 * @param {Shortcut[]} own
 */
export function useShortcuts(own) {
  useLayoutEffect(() => {
    shortcuts.value = [...shortcuts.value, ...own];
    return () => {
      shortcuts.value = shortcuts.value.filter((one) => !own.includes(one));
    };
  });
}

const TYPING = 'input, textarea, select, [contenteditable=true], dialog, [role=menu]';
let before = '';

/**
 * Return the shortcut that a key completes; the key before it counts, too.
 * @param {Shortcut[]} known
 * @param {string} earlier
 * @param {string} key
 */
export const completed = (known, earlier, key) =>
  known.findLast((one) => one.keys === `${earlier} ${key}`) ?? known.findLast((one) => one.keys === key);

/** Listen to the page's keys from now on; where text is typed they are text. */
export function listen() {
  addEventListener('keydown', (event) => {
    if (event.altKey || event.isComposing) return;
    const isCommand = event.ctrlKey || event.metaKey; // such a one works where text is typed, too
    if (event.target instanceof Element && event.target.closest(isCommand ? 'dialog' : TYPING)) return;
    const found = isCommand ? !event.shiftKey && shortcuts.value.findLast((one) => one.keys === `Ctrl+${event.key.toUpperCase()}`) : completed(shortcuts.value, before, event.key);
    before = event.key.length === 1 && !isCommand ? event.key : before;
    if (!found) return;
    event.preventDefault();
    before = '';
    found.run();
  });
}
