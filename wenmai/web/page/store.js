// @ts-check
/** What the whole page knows: language, theme, the open library, and how far its reader is. The key is never here. */
import { remembered, useSignal } from './signals.js';

/** @typedef {'zh' | 'en'} Language */
/** @typedef {'auto' | 'light' | 'dark'} Theme */
/** @typedef {{ part: number, chapter: number }} Guard  The last chapter that was read */

/** @type {Language} */
const BROWSER_LANGUAGE = globalThis.navigator?.language?.toLowerCase().startsWith('zh') ? 'zh' : 'en';

/** @param {unknown} value @returns {value is Language} */
const isLanguage = (value) => value === 'zh' || value === 'en';
/** @param {unknown} value @returns {value is Theme} */
const isTheme = (value) => value === 'auto' || value === 'light' || value === 'dark';
/** @param {unknown} value @returns {value is string | null} */
const isName = (value) => typeof value === 'string';
/** @param {unknown} value @returns {value is Guard} */
const isGuard = (value) =>
  typeof value === 'object' && value !== null && 'part' in value && 'chapter' in value &&
  Number.isInteger(value.part) && Number.isInteger(value.chapter);
/** @param {unknown} value @returns {value is Record<string, Guard>} */
const isGuards = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isGuard);

export const language = remembered('language', BROWSER_LANGUAGE, isLanguage);
export const theme = remembered('theme', /** @type {Theme} */ ('auto'), isTheme, { isShared: true });
/** The library that was open last: the navigation leads there. */
export const library = remembered('library', /** @type {string | null} */ (null), isName);
/** How far each library is read, in every tab; one that is missing is shown whole. */
export const guards = remembered('guards', /** @type {Record<string, Guard>} */ ({}), isGuards, { isShared: true });

/**
 * Remember how far a library is read.
 * @param {string} name
 * @param {Guard | null} guard null shows the whole book
 */
export function setGuard(name, guard) {
  const { [name]: _, ...others } = guards.value;
  guards.value = guard ? { ...others, [name]: guard } : others;
}

/**
 * Follow the guard of a library. Put it into the dependencies of each `useLoad` and into each request of a book.
 * @param {string | null} name
 * @returns {Guard | null}
 */
export function useGuard(name) {
  const known = useSignal(guards);
  return name !== null && Object.hasOwn(known, name) ? known[name] : null;
}
