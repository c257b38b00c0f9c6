// @ts-check
/** The page's words: `t('shelf.title')`. One module for each language and view; a test keeps the languages alike. */
import { language } from '../store.js';

/** @typedef {string | { one: string, other: string }} Message  the second counts by `n` */
/** @typedef {typeof import('./zh/index.js').default} Messages */
/** @typedef {{ [Group in keyof Messages]: `${Group}.${keyof Messages[Group] & string}` }[keyof Messages]} Key */

const LOADERS = { zh: () => import('./zh/index.js'), en: () => import('./en/index.js') };
/** @type {Partial<Record<'zh' | 'en', Record<string, Record<string, Message>>>>} */
const loaded = {};

/**
 * Load the words of a language; then they are there without waiting.
 * @param {'zh' | 'en'} wanted
 */
export async function prepare(wanted) {
  loaded[wanted] ??= (await LOADERS[wanted]()).default;
}

/** Load and show another language. @param {'zh' | 'en'} wanted */
export async function speak(wanted) {
  await prepare(wanted);
  language.value = wanted;
}

/**
 * Return a message with its values put in for {name}.
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const [group, name] = key.split('.', 2);
  const found = loaded[language.value]?.[group]?.[name] ?? key;
  const text = typeof found === 'string' ? found : found[Number(values.n) === 1 ? 'one' : 'other'];
  return text.replace(/\{(\w+)\}/g, (whole, value) => (value in values ? shown(values[value]) : whole));
}

/** @param {string | number} value */
const shown = (value) => (typeof value === 'number' ? new Intl.NumberFormat(language.value).format(value) : value);

/** @param {string | Date} moment */
export const date = (moment) =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment));

/** @param {number} seconds */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return t('parts.seconds', { n: whole });
  return whole < 3600 ? t('parts.minutes', { n: Math.round(whole / 60) }) : t('parts.hours', { n: Math.round(whole / 3600) });
}
