// @ts-check
/** Libraries, their texts, and the jobs that take texts in. */
import { stream } from './events.js';
import { every, guarded, json, path } from './http.js';
import { isUnreachable } from './problems.js';
import { upload } from './uploads.js';

/** @typedef {import('./http.js').Schemas} Schemas */
/** @typedef {import('./http.js').Guard} Guard */
/** @typedef {Schemas['Library']} Library */
/** @typedef {Schemas['DeletionReceipt']} Receipt */
/** @typedef {Omit<Schemas['JobView'], 'progress'> & { progress: Progress | null }} Job */
/** @typedef {{ done: number, total: number, unit: string, chapter?: string, seconds: number, remaining: number | null }} Progress */

/** @param {AbortSignal} [signal] @returns {Promise<Library[]>} */
export const list = (signal) => every('libraries', { signal });

/** @param {string} library @param {Guard | null} [guard] @param {AbortSignal} [signal] @returns {Promise<Library>} */
export const get = (library, guard, signal) => json('GET', path`libraries/${library}`, { query: guarded(guard), signal });

/** @param {{ name: string, title: string, language: 'zh' | 'en' }} body @returns {Promise<Library>} */
export const make = (body) => json('POST', 'libraries', { body });

/** @param {string} library @returns {Promise<Receipt>} */
export const remove = (library) => json('DELETE', path`libraries/${library}`);

/** @param {string} library @param {string} source @returns {Promise<Receipt>} */
export const removeSource = (library, source) => json('DELETE', path`libraries/${library}/sources/${source}`);

/**
 * Send a text with its parts (`file`, `title`, `aliases`, `graph`, `chapters`); the job that reads it is returned.
 * @param {string} library
 * @param {FormData} form
 * @param {import('./uploads.js').UploadOptions} [options]
 * @returns {Promise<Job>}
 */
export const addSource = (library, form, options) => upload(path`libraries/${library}/sources`, form, options);

/**
 * Add aliases, relations and events to a text that is there: `file` as often as there are files, and `source`.
 * @param {string} library
 * @param {FormData} form
 * @returns {Promise<Schemas['AddedTablesView']>}
 */
export const addTables = (library, form) => upload(path`libraries/${library}/tables`, form);

/** @param {string} library @param {string} title @returns {Promise<Library>} */
export const rename = (library, title) => json('PATCH', path`libraries/${library}`, { body: { title } });

/** @param {AbortSignal} [signal] @returns {Promise<Job[]>} */
export const jobs = (signal) => every('jobs', { signal });

/** @param {string} id @returns {Promise<Job>} */
const job = (id) => json('GET', path`jobs/${id}`);

/** @param {string} id @returns {Promise<Job>} */
export const stopJob = (id) => json('DELETE', path`jobs/${id}`);

/** Yield a job at each of its changes, `progress` until `end`. @param {string} id @returns {AsyncGenerator<{ name: string, data: Job }>} */
const watchJob = (id) => stream('GET', path`jobs/${id}/events`);

const RETRY_MS = 2000;

/**
 * Yield a job at each of its changes to its end, also past a lost connection.
 * @param {Job} begun
 * @returns {AsyncGenerator<Job>}
 */
export async function* followed(begun) {
  for (let now = begun; now.state === 'running';) {
    try {
      for await (const { data } of watchJob(now.id)) yield now = data;
      if (now.state === 'running') yield now = await job(now.id);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** @typedef {Schemas['Preview']} Preview */

/**
 * Look at a text before it is taken in; the form has `file`, and `chapters` or `headings`, and `show`.
 * @param {FormData} form
 * @param {import('./uploads.js').UploadOptions} [options]
 * @returns {Promise<Preview>}
 */
export const preview = (form, options) => upload('previews', form, options);

/** Take in the sample story. @param {'zh' | 'en'} language @returns {Promise<Job>} */
export const sample = (language) => json('POST', 'sample', { body: { language } });
