// @ts-check
/** What answers: by itself the book and the documents of the thread, or what the user chose for a library. */
import { remembered } from '../../signals.js';

export const KITS = /** @type {const} */ (['narrative', 'documents', 'memory', 'knowledge']);
/** @typedef {typeof KITS[number]} Kit */
/** @typedef {{ kits: Kit[], networks: string[] }} Choice */

/** @param {unknown} value @returns {value is Record<string, Choice>} */
const isChoices = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isChoice);

/** @param {unknown} value */
function isChoice(value) {
  const { kits, networks } = Object(value);
  return Array.isArray(kits) && kits.every((one) => KITS.includes(one)) && Array.isArray(networks) && networks.every((one) => typeof one === 'string');
}

export const chosen = remembered('kits', /** @type {Record<string, Choice>} */ ({}), isChoices);

/** @param {string} library @param {Choice | null} choice null is automatic */
export function choose(library, choice) {
  const { [library]: _, ...others } = chosen.value;
  chosen.value = choice && choice.kits.length ? { ...others, [library]: choice } : others;
}

/**
 * Return the fields of a question that name its sources.
 * @param {Choice | null} choice
 * @param {boolean} hasDocuments
 * @returns {Partial<import('../../api/threads.js').Question>}
 */
export function fieldsOf(choice, hasDocuments) {
  if (choice === null) return hasDocuments ? { toolkits: ['narrative', 'documents'] } : {};
  const isAsked = choice.kits.includes('knowledge') && choice.networks.length > 0;
  const kits = choice.kits.filter((one) => one !== 'knowledge' || isAsked);
  return kits.length ? { toolkits: kits, ...(isAsked ? { kn_ids: choice.networks } : {}) } : {};
}
