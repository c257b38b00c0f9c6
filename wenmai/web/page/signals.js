// @ts-check
/** Values that components follow. */
import { useEffect, useState } from './lib.js';

/**
 * @template T
 * @typedef {{ value: T, subscribe: (listener: (value: T) => void) => () => void }} Signal
 */

/**
 * Make a value that tells its listeners of each change.
 * @template T
 * @param {T} initial
 * @returns {Signal<T>}
 */
export function signal(initial) {
  let current = initial;
  /** @type {Set<(value: T) => void>} */
  const listeners = new Set();
  return {
    get value() {
      return current;
    },
    set value(next) {
      if (Object.is(next, current)) return;
      current = next;
      for (const listener of [...listeners]) listener(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Follow a signal in a component.
 * @template T
 * @param {Signal<T>} source
 * @returns {T}
 */
export function useSignal(source) {
  const [, setValue] = useState(() => ({ value: source.value }));
  useEffect(() => {
    setValue({ value: source.value });
    return source.subscribe((value) => setValue({ value }));
  }, [source]);
  return source.value;
}

/**
 * Make a signal that this browser remembers; without storage it lives as long as the page.
 * @template T
 * @param {string} name
 * @param {T} initial
 * @param {(value: unknown) => value is T} isValid
 * @param {{ isShared?: boolean }} [how]  isShared: what is chosen in one tab holds in the others at once
 * @returns {Signal<T>}
 */
export function remembered(name, initial, isValid, { isShared = false } = {}) {
  const kept = signal(read(name, initial, isValid));
  kept.subscribe((value) => write(name, value));
  if (isShared) onChangeElsewhere(name, () => { kept.value = read(name, initial, isValid); });
  return kept;
}

/** @param {string} name @param {() => void} act */
function onChangeElsewhere(name, act) {
  globalThis.addEventListener?.('storage', ({ key }) => {
    if (key === null || key === keyOf(name)) act();
  });
  globalThis.addEventListener?.('pageshow', ({ persisted }) => persisted && act()); // a page that slept heard nothing
}

/** @param {string} name */
const keyOf = (name) => `wenmai.${name}`;

/**
 * @template T
 * @param {string} name
 * @param {T} initial
 * @param {(value: unknown) => value is T} isValid
 * @returns {T}
 */
function read(name, initial, isValid) {
  try {
    const found = JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null');
    return isValid(found) ? found : initial;
  } catch {
    return initial;
  }
}

/** @param {string} name @param {unknown} value */
function write(name, value) {
  try {
    localStorage.setItem(keyOf(name), JSON.stringify(value));
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
}
