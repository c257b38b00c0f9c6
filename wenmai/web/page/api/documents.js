// @ts-check
/** Documents: those of a thread, and those of the collection that all of the user's threads see. */
import { t } from '../i18n/index.js';
import { every, json, path, send } from './http.js';
import { followed } from './libraries.js';
import { ApiError } from './problems.js';
import { upload } from './uploads.js';

/** @typedef {import('./http.js').Schemas} Schemas */
/** @typedef {Schemas['DocumentView']} Document */
/** @typedef {Schemas['DocumentPlace']} Place */
/** @typedef {{ thread_id: string } | { collection: true, folder?: string }} Owner */

/** @type {Owner} */
export const COLLECTION = { collection: true };

/** @param {Owner} owner @param {AbortSignal} [signal] @returns {Promise<Document[]>} */
export const list = (owner, signal) => every('documents', { query: { ...owner }, signal });

/**
 * Send a file and follow the job that reads it to its end.
 * @param {Owner} owner
 * @param {File} file
 * @param {{ replaces?: string, signal?: AbortSignal, onSent?: (sent: number, total: number) => void, onRead?: (done: number, total: number) => void }} [options]  replaces: the id of an older version
 * @returns {Promise<Schemas['Stored']>}
 */
export async function add(owner, file, { replaces, signal, onSent, onRead } = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...owner, ...(replaces && { replaces }) })) form.set(name, String(value));
  form.set('file', file);
  const job = /** @type {import('./libraries.js').Job} */ (await upload('documents', form, { signal, onProgress: onSent, headers: { prefer: 'respond-async' } }));
  return ended(job, onRead);
}

/** @param {import('./libraries.js').Job} job @param {(done: number, total: number) => void} [onRead] @returns {Promise<Schemas['Stored']>} */
export async function ended(job, onRead) {
  let now = job;
  for await (now of followed(job)) {
    if (now.progress) onRead?.(now.progress.done, now.progress.total);
  }
  if (now.state !== 'done') throw new ApiError(422, now.error ?? t('documents.stopped', { name: now.subject }));
  return /** @type {Schemas['Stored']} */ (/** @type {unknown} */ (now.result));
}

/** @param {Owner} owner @param {readonly string[]} names  none: all of them @param {string} to @returns {Promise<Schemas['MovedDocuments']>} */
export const move = (owner, names, to) => json('POST', 'documents/moves', { query: { ...owner }, body: { to, names } });

/** @param {Owner} owner @param {string} id @returns {Promise<Schemas['RemovalReceipt']>} */
export const remove = (owner, id) => json('DELETE', path`documents/${id}`, { query: { ...owner } });

/** @param {string} folder @returns {Promise<Schemas['RemovalReceipt']>} */
export const removeFolder = (folder) => json('DELETE', 'documents', { query: { collection: true, folder } });

/** Where a citation is. @param {string} piece @param {string} thread @param {AbortSignal} [signal] @returns {Promise<Place>} */
export const place = (piece, thread, signal) => json('GET', path`documents/pieces/${piece}`, { query: { thread_id: thread }, signal });

/** A page of a PDF, as a picture. @param {string} id @param {number} page @param {string} thread @param {AbortSignal} [signal] @returns {Promise<Blob>} */
export const picture = async (id, page, thread, signal) =>
  (await send('GET', path`documents/${id}/pages/${page}`, { query: { thread_id: thread }, accept: 'image/jpeg', signal })).blob();
