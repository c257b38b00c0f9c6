// @ts-check
/** What is remembered of the user. */
import { every, json, path, send } from './http.js';

/** @typedef {import('./http.js').Schemas} Schemas */
/** @typedef {Schemas['MemoryView']} Memory */

/** query: type, library with as_of_chapter and as_of_part
 * @param {import('./http.js').Query} [query] @param {AbortSignal} [signal] @returns {Promise<Memory[]>} */
export const list = (query, signal) => every('memories', { query, signal });

/** query: q, mode, type, days, limit, min_score
 * @param {import('./http.js').Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['FoundPage']>} */
export const search = (query, signal) => json('GET', 'memories/search', { query, signal });

/** @param {string} key @param {AbortSignal} [signal] @returns {Promise<Schemas['MemoryDetail']>} */
export const get = (key, signal) => json('GET', path`memories/${key}`, { signal });

/** @param {Partial<Schemas['NewMemory']> & { content: string }} body @returns {Promise<Memory>} */
export const add = (body) => json('POST', 'memories', { body });

/** @param {string} key @param {Partial<Schemas['ChangedMemory']>} body @returns {Promise<Memory>} */
export const change = (key, body) => json('PATCH', path`memories/${key}`, { body });

/** @param {string} key @returns {Promise<Schemas['ForgetReceipt']>} */
export const forget = (key) => json('DELETE', path`memories/${key}`);

/** Return all memories as a file. @returns {Promise<Blob>} */
export const exported = async () => (await send('GET', 'memories/export', { accept: '*/*' })).blob();
