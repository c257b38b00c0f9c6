// @ts-check
/** Files on their way into the collection. They go on while other views are shown; a page loaded anew finds their jobs. */
import * as documents from '../../api/documents.js';
import * as libraries from '../../api/libraries.js';
import { isAbort } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { toast } from '../../parts/toast.js';
import { signal } from '../../signals.js';

/** @typedef {{ name: string, sent: number, total: number, read?: { done: number, total: number } }} Upload */
/** @typedef {(name: string, next: Upload | null) => void} Note  what is to be shown of a file now; null at its end */
/** @typedef {import('../../api/http.js').Schemas['Stored']} Stored */

export const uploads = signal(/** @type {Upload[]} */ ([]));
/** What was refused since the last files were chosen. */
export const failures = signal(/** @type {{ name: string, error: unknown }[]} */ ([]));
/** Counts what has come: the list is then loaded anew. */
export const arrivals = signal(0);

/** @param {readonly Upload[]} all @param {string} name @param {Upload | null} next @returns {Upload[]} */
export const noted = (all, name, next) => [...all.filter((one) => one.name !== name), ...(next ? [next] : [])];

/** @type {Note} */
const note = (name, next) => {
  uploads.value = noted(uploads.value, name, next);
};

/** @param {Note} show @param {string} name */
const reading = (show, name) => (/** @type {number} */ done, /** @type {number} */ total) => show(name, { name, sent: 1, total: 1, read: { done, total } });

/**
 * Send files one after the other, and show how far each is.
 * @param {readonly File[]} files
 * @param {documents.Owner} owner
 * @param {Note} show
 * @param {(name: string, work: () => Promise<Stored>) => Promise<void>} follow  waits for a file's end, whatever it is
 * @param {string} [replaces]  the id of the document that the file is a newer version of
 */
export async function sendEach(files, owner, show, follow, replaces) {
  for (const { name, size } of files) show(name, { name, sent: 0, total: Math.max(1, size) });
  for (const file of files) {
    const { name } = file;
    await follow(name, () => documents.add(owner, file, { replaces, onSent: (sent, total) => show(name, { name, sent, total }), onRead: reading(show, name) }));
  }
}

/**
 * Send files into the collection.
 * @param {readonly File[]} files
 * @param {documents.Owner} owner
 * @param {string} [replaces]  the id of the document that the file is a newer version of
 */
export async function send(files, owner, replaces) {
  failures.value = [];
  await sendEach(files, owner, note, watched, replaces);
}

/** Show what was begun in another tab, or before the page was loaded anew. */
export function adoptJobs() {
  void libraries.jobs().then((jobs) => {
    for (const job of jobs) {
      const isKnown = uploads.value.some((one) => one.name === job.subject);
      if (job.kind === 'upload' && job.state === 'running' && !isKnown) void watched(job.subject, () => documents.ended(job, reading(note, job.subject)));
    }
  }, () => undefined);
}

/** @param {string} name @param {() => Promise<Stored>} work */
async function watched(name, work) {
  try {
    const { document, replaced } = await work();
    toast(t(replaced ? 'documents.replaced' : 'desk.added', { name: document.filename, old: replaced?.filename ?? '' }));
  } catch (error) {
    if (!isAbort(error)) failures.value = [...failures.value, { name, error }];
  }
  note(name, null);
  arrivals.value += 1;
}
