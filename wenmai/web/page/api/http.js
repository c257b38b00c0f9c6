// @ts-check
/** Requests to the API on the page's own server. */
import { lose } from './connection.js';
import { ApiError, errorOf, isAbort } from './problems.js';
import { askForKey, identified } from './session.js';
import { tell } from './tabs.js';

export const BASE = '/api/v1';

/** @typedef {import('#api').components['schemas']} Schemas */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */
/** @typedef {import('../store.js').Guard} Guard */
/**
 * @typedef {object} Options
 * @property {Query} [query]
 * @property {unknown} [body]  sent as JSON
 * @property {AbortSignal} [signal]
 * @property {string} [accept]
 */

/**
 * Return the address of a path; parts are encoded: path`libraries/${name}/chapters`.
 * @param {TemplateStringsArray} strings
 * @param {...(string | number)} parts
 */
export const path = (strings, ...parts) =>
  strings.reduce((made, text, index) => made + encodeURIComponent(parts[index - 1]) + text);

/** @param {Guard | null | undefined} guard @returns {Query} */
export const guarded = (guard) => (guard ? { as_of_chapter: guard.chapter, as_of_part: guard.part } : {});

/** @param {string} where @param {Query} [query] */
export function address(where, query = {}) {
  const known = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(known.map(([name, value]) => [name, String(value)])).toString();
  return `${BASE}/${where}${search && `?${search}`}`;
}

/**
 * Send a request; ask for the key where it is missing. Throws ApiError.
 * @param {string} method
 * @param {string} where below BASE, made by `path`
 * @param {Options} [options]
 * @returns {Promise<Response>}
 */
export async function send(method, where, options = {}) {
  for (;;) {
    const known = identified();
    const response = await fetched(method, where, known, options);
    if (response.ok) {
      if (method !== 'GET') tell(where);
      return response;
    }
    const error = errorOf(response.status, await response.json().catch(() => null));
    if (response.status !== 401 || !(await askForKey(error.detail, known))) throw error;
  }
}

/** @param {string} method @param {string} where @param {Record<string, string>} known @param {Options} options */
async function fetched(method, where, known, { query, body, signal, accept = 'application/json' }) {
  const headers = { accept, ...known, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  try {
    const sent = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
    return await fetch(address(where, query), /** @type {RequestInit} */ (sent));
  } catch (error) {
    if (isAbort(error)) throw error;
    lose();
    throw new ApiError(0, '');
  }
}

/**
 * Send a request and return the JSON of its answer, null where there is none.
 * @param {string} method
 * @param {string} where
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function json(method, where, options) {
  const response = await send(method, where, options);
  return response.status === 204 ? null : response.json();
}

/**
 * @template T
 * @typedef {{ items: T[], total: number, next?: number | null }} Page
 */

const MOST_ROWS = 500;

/**
 * Return the rows of every page of a list.
 * @param {string} where
 * @param {Options} [options]
 * @returns {Promise<any[]>}
 */
export async function every(where, options = {}) {
  const rows = [];
  for (let offset = /** @type {number | null} */ (0); offset !== null; ) {
    const query = { ...options.query, limit: MOST_ROWS, offset };
    const page = /** @type {Page<unknown>} */ (await json('GET', where, { ...options, query }));
    rows.push(...page.items);
    offset = page.next ?? null;
  }
  return rows;
}
