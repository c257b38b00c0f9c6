// @ts-check
import { t } from '../../i18n/index.js';

/** @typedef {import('../../api/memories.js').Memory} Memory */
/** @typedef {import('../../i18n/index.js').Key} Key */

const HIDDEN = '[敏感记忆]'; // what the server shows without the right to read it

/** @type {Readonly<Record<string, Key>>} */
const TYPES = {
  general: 'memories.typeGeneral', user_preference: 'memories.typePreference', decision: 'memories.typeDecision',
  conversation: 'memories.typeConversation', code: 'memories.typeCode', error: 'memories.typeError',
};
export const OFFERED = /** @type {const} */ (['general', 'user_preference', 'decision']);

/** @param {string} type */
export const typeText = (type) => (Object.hasOwn(TYPES, type) ? t(TYPES[type]) : type);

/** Whether the server keeps the text from this user. @param {Memory} memory */
export const isWithheld = (memory) => memory.is_sensitive && memory.content === HIDDEN;

/** Return the memories that hold some words; a sensitive one shows by no search what it says. @param {readonly Memory[]} all @param {string} words */
export function holding(all, words) {
  const wanted = words.toLowerCase();
  return all.filter((one) => !one.is_sensitive && [one.content, one.summary ?? '', ...one.keywords].some((text) => text.toLowerCase().includes(wanted)));
}

/** Return what remembers a memory again. @param {Memory} memory */
export const copyOf = ({ content, type, summary, keywords, is_sensitive }) => ({ content, type, summary, keywords, is_sensitive });
