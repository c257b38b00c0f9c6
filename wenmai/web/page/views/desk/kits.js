// @ts-check
/** What answers: by itself the book and the documents of the thread, without a book documents and networks, or what the user chose. */
import { remembered } from '../../signals.js';

const KITS = /** @type {const} */ (['narrative', 'documents', 'memory', 'knowledge']);
/** @typedef {typeof KITS[number]} Kit */
/** @typedef {{ kits: Kit[], networks: string[], folders?: string[] }} Choice  no networks, no folders: all of them */
/** @typedef {{ library: string | null, hasDocuments: boolean, isOwn?: boolean, networks: readonly string[], folders?: readonly string[] | undefined }} There  what there is to ask; isOwn: documents beside the collection; folders: where they are known */

const ALONE = ''; // no library has this name

/** @param {unknown} value @returns {value is Record<string, Choice>} */
const isChoices = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isChoice);

/** @param {unknown} value */
function isChoice(value) {
  const { kits, networks, folders = [] } = Object(value);
  const isTexts = (/** @type {unknown} */ some) => Array.isArray(some) && some.every((one) => typeof one === 'string');
  return Array.isArray(kits) && kits.every((one) => KITS.includes(one)) && isTexts(networks) && isTexts(folders);
}

export const chosen = remembered('kits', /** @type {Record<string, Choice>} */ ({}), isChoices);

/** @param {unknown} value @returns {value is boolean} */
const isBoolean = (value) => typeof value === 'boolean';

/** Whether what the user tells is kept, and found again in later conversations. */
export const remembers = remembered('remembers', false, isBoolean, { isShared: true });

/** @param {Record<string, Choice>} all @param {string | null} library @returns {Choice | null} */
export const choiceOf = (all, library) => all[library ?? ALONE] ?? null;

/** @param {string | null} library @param {Choice | null} choice null is automatic */
export function choose(library, choice) {
  const { [library ?? ALONE]: _, ...others } = chosen.value;
  chosen.value = choice && choice.kits.length ? { ...others, [library ?? ALONE]: choice } : others;
}

/**
 * Return a choice with a network asked or not; one that asks none is without the kit.
 * @param {Choice} choice
 * @param {string} network
 * @param {readonly string[]} all  the networks that there are
 * @returns {Choice}
 */
export function withNetwork(choice, network, all) {
  const asked = askedOf(choice, all);
  const wanted = all.filter((one) => asked.includes(one) !== (one === network));
  if (wanted.length === 0) return { kits: choice.kits.filter((one) => one !== 'knowledge'), networks: [] };
  return { ...choice, networks: wanted.length === all.length ? [] : wanted };
}

/**
 * Return the networks that a choice asks: those it names, all where it names none that is still there.
 * @param {Choice | null} choice
 * @param {readonly string[]} all
 */
export function askedOf(choice, all) {
  const named = all.filter((one) => choice?.networks.includes(one));
  return named.length ? named : [...all];
}

/** @param {Choice | null} choice @param {string | null} library */
export const asksNetworks = (choice, library) => (choice ? choice.kits.includes('knowledge') : library === null);

/**
 * Return the sources that there are: each has a switch.
 * @param {There} there
 * @returns {Kit[]}
 */
export function visible({ library, hasDocuments, networks }) {
  const isThere = { narrative: library !== null, documents: hasDocuments, memory: true, knowledge: networks.length > 0 };
  return KITS.filter((one) => isThere[one]);
}

/**
 * Return the sources that answer: those that were chosen, else what is automatic; a book where nothing of that is there.
 * @param {Choice | null} choice
 * @param {There} there
 * @returns {Kit[]}
 */
export function effective(choice, there) {
  const kits = choice?.kits ?? automatic(there);
  if (there.library === null || visible(there).some((one) => kits.includes(one))) return kits;
  return KITS.filter((one) => one === 'narrative' || kits.includes(one));
}

/**
 * Return a choice with a source switched on or off; the others stay. What is automatic is no choice, and the last source stays.
 * @param {Choice | null} choice
 * @param {Kit} kit
 * @param {There} there
 * @returns {Choice | null}
 */
export function switched(choice, kit, there) {
  const before = effective(choice, there);
  const kits = KITS.filter((one) => before.includes(one) !== (one === kit));
  const usual = effective(null, there);
  const isUsual = kits.length === usual.length && kits.every((one) => usual.includes(one)) && !choice?.networks.length && !choice?.folders?.length;
  if (!isUsual && !visible(there).some((one) => kits.includes(one))) return choice;
  return isUsual ? null : { ...choice, kits, networks: choice?.networks ?? [] };
}

/**
 * Return the fields of a question that name its sources. Without a library a question always names some.
 * @param {Choice | null} choice
 * @param {There} there
 * @returns {Partial<import('../../api/threads.js').Question>}
 */
export function fieldsOf(choice, there) {
  const { library, hasDocuments, networks } = there;
  const kits = (choice?.kits ?? automatic(there)).filter((one) => (one === 'knowledge' ? networks.length > 0 : one !== 'documents' || library === null || hasDocuments));
  if (kits.length === 0) return library === null ? { toolkits: ['documents'] } : {};
  const folders = (choice?.folders ?? []).filter((one) => there.folders?.includes(one) ?? true);
  return { toolkits: kits, ...(kits.includes('knowledge') ? { kn_ids: askedOf(choice, networks) } : {}), ...(kits.includes('documents') && folders.length ? { folders } : {}) };
}

/** A collection is not asked beside a book by itself. @param {There} there @returns {Kit[]} */
function automatic({ library, hasDocuments, isOwn = hasDocuments }) {
  if (library === null) return hasDocuments ? ['documents', 'knowledge'] : ['knowledge'];
  return isOwn ? ['narrative', 'documents'] : [];
}

/**
 * Return a choice with a folder of the collection asked or not; all of them, or none, means all.
 * @param {Choice} choice
 * @param {string} folder
 * @param {readonly string[]} all  the folders that there are
 * @returns {Choice}
 */
export function withFolder(choice, folder, all) {
  const asked = foldersOf(choice, all);
  const wanted = all.filter((one) => asked.includes(one) !== (one === folder));
  return { ...choice, folders: wanted.length === all.length ? [] : wanted };
}

/** @param {Choice | null} choice @param {readonly string[]} all */
export function foldersOf(choice, all) {
  const named = all.filter((one) => choice?.folders?.includes(one));
  return named.length ? named : [...all];
}
