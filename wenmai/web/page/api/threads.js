// @ts-check
/** Threads, their turns, and questions. */
import { stream } from './events.js';
import { every, guarded, json, path, send } from './http.js';

/** @typedef {import('./http.js').Schemas} Schemas */
/** @typedef {Schemas['ThreadView']} Thread */
/** @typedef {Schemas['KeptTurn']} Turn */
/** @typedef {Schemas['KeptTurn']} AskedTurn */
/** @typedef {Schemas['Citation']} Citation */
/** @typedef {Schemas['Evidence']} EvidencePiece */
/** @typedef {Omit<Partial<Schemas['Question']>, 'as_of_chapter' | 'as_of_part'> & { question: string }} Question */

/**
 * Ask, and yield the events: `thread` (its id), `step`, `node`, `tool`, `recall`, `thought`, `draft`, `reset`, `text` (pieces
 * of the answer), `citations`, `verdict`, `memory`, and `answer` (last, an AskedTurn). Aborting gives the question up.
 * @param {string | null} thread null makes one
 * @param {Question} question
 * @param {{ guard?: import('./http.js').Guard | null, signal?: AbortSignal }} [options]
 */
export const ask = (thread, question, { guard, signal } = {}) =>
  stream('POST', thread === null ? 'ask' : path`threads/${thread}/ask`, { body: { ...question, ...guarded(guard) }, signal });

/** @param {{ q?: string, library?: string }} [query] @param {AbortSignal} [signal] @returns {Promise<Thread[]>} */
export const list = (query, signal) => every('threads', { query, signal });

/** @typedef {Schemas['FoundTurn']} FoundTurn */

/** Where words stand in one's talks. @param {string} q @param {string | null} library @param {import('./http.js').Guard | null} guard @param {AbortSignal} [signal] @returns {Promise<import('./http.js').Page<FoundTurn>>} */
export const search = (q, library, guard, signal) =>
  json('GET', 'threads/search', { query: { q, library, limit: 20, ...guarded(guard) }, signal });

/** @param {string} id @param {AbortSignal} [signal] @returns {Promise<Thread>} */
export const get = (id, signal) => json('GET', path`threads/${id}`, { signal });

/** @param {string} id @param {string} title @returns {Promise<Thread>} */
export const rename = (id, title) => json('PATCH', path`threads/${id}`, { body: { title } });

/** @param {string} id @returns {Promise<null>} */
export const remove = (id) => json('DELETE', path`threads/${id}`);

/** @param {string} id @param {AbortSignal} [signal] @returns {Promise<Turn[]>} */
export const turns = (id, signal) => every(path`threads/${id}/turns`, { signal });

/** @param {string} id @param {number} number @param {AbortSignal} [signal] @returns {Promise<EvidencePiece[]>} */
export const evidence = (id, number, signal) => every(path`threads/${id}/turns/${number}/evidence`, { signal });

/** @param {string} id @param {number} number @param {AbortSignal} [signal] @returns {Promise<Record<string, unknown>>} */
export const record = async (id, number, signal) => (await json('GET', path`threads/${id}/turns/${number}/record`, { signal })).record;

/**
 * Return a thread, or one turn, as Markdown, without answers from beyond the guard.
 * @param {string} id
 * @param {import('./http.js').Guard | null} guard
 * @param {number} [number]  of the turn
 * @returns {Promise<Blob>}
 */
export const markdown = async (id, guard, number) =>
  (await send('GET', path`threads/${id}/export`, { query: { format: 'markdown', number, ...guarded(guard) }, accept: 'text/markdown' })).blob();
