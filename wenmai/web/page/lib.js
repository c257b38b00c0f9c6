// @ts-check
/** The library behind every component: preact with templates instead of JSX. Import from here, not from vendor. */
import htm from './vendor/htm.js';
import { h } from './vendor/preact.js';

export { Component, createContext, Fragment, render } from './vendor/preact.js';
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from './vendor/preact-hooks.js';

/**
 * Make elements: html`<p class="x">${text}</p>`. What is put in as text stays text.
 * @type {(strings: TemplateStringsArray, ...values: unknown[]) => import('preact').VNode}
 */
// @ts-expect-error htm's own type also allows several roots
export const html = htm.bind(h);
