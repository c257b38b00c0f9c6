// @ts-check
/** The library behind every component: preact with templates instead of JSX. Import from here, not from vendor. */
import htm from './vendor/htm.js';
import { h } from './vendor/preact.js';
import { visible } from './visible.js';

export { Component, createContext, Fragment, render } from './vendor/preact.js';
export { useCallback, useContext, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from './vendor/preact-hooks.js';

const SPOKEN = ['title', 'aria-label']; // attributes that are read

/** @param {unknown} child @returns {unknown} */
const shown = (child) => (typeof child === 'string' ? visible(child) : Array.isArray(child) ? child.map(shown) : child);

/**
 * Make an element whose texts have no character that works unseen; what a component is given stays as it is.
 * @param {any} type
 * @param {Record<string, unknown> | null} props
 * @param {...any} children
 */
function made(type, props, ...children) {
  if (typeof type !== 'string') return h(type, props, ...children);
  const read = SPOKEN.filter((name) => typeof props?.[name] === 'string').map((name) => [name, shown(props?.[name])]);
  return h(type, read.length ? { ...props, ...Object.fromEntries(read) } : props, .../** @type {any[]} */ (children.map(shown)));
}

/**
 * Make elements: html`<p class="x">${text}</p>`. What is put in as text stays text.
 * @type {(strings: TemplateStringsArray, ...values: unknown[]) => import('preact').VNode}
 */
// @ts-expect-error htm's own type also allows several roots
export const html = htm.bind(made);
