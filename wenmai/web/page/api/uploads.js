// @ts-check
/** Uploads with their progress, which fetch does not tell. */
import { lose } from './connection.js';
import { address } from './http.js';
import { ApiError, errorOf } from './problems.js';
import { askForKey, identified } from './session.js';
import { tell } from './tabs.js';

/**
 * @typedef {object} UploadOptions
 * @property {(sent: number, total: number) => void} [onProgress]  in bytes
 * @property {AbortSignal} [signal]
 * @property {import('./http.js').Query} [query]
 * @property {Record<string, string>} [headers]
 */

/**
 * Send a form and return the JSON of its answer. Throws ApiError.
 * @param {string} where below BASE
 * @param {FormData} form
 * @param {UploadOptions} [options]
 * @returns {Promise<any>}
 */
export async function upload(where, form, options = {}) {
  for (;;) {
    const known = identified();
    const { status, body } = await posted(where, form, known, options);
    if (status >= 200 && status < 300) {
      tell(where);
      return body;
    }
    const error = errorOf(status, body);
    if (status !== 401 || !(await askForKey(error.detail, known))) throw error;
  }
}

/**
 * @param {string} where
 * @param {FormData} form
 * @param {Record<string, string>} known
 * @param {UploadOptions} options
 * @returns {Promise<{ status: number, body: unknown }>}
 */
function posted(where, form, known, { onProgress, signal, query, headers }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address(where, query));
    request.responseType = 'json';
    for (const [name, value] of Object.entries({ ...known, ...headers })) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', (event) => onProgress?.(event.loaded, event.total));
    request.addEventListener('load', () => resolve({ status: request.status, body: request.response }));
    request.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    request.addEventListener('error', () => {
      lose();
      reject(new ApiError(0, ''));
    });
    if (signal?.aborted) return void reject(new DOMException('aborted', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}
