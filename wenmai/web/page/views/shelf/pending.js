// @ts-check
/** Files that wait for a look at their chapters. */
import * as libraries from '../../api/libraries.js';
import { signal } from '../../signals.js';
import { stemOf, nameFor } from './files.js';
import { begin, imports } from './imports.js';

/** @typedef {{ id: string, library: string | null, title: string, replaces?: string }} Group  null: a library that is still to be named; replaces: the text whose newer version it is */
/** @typedef {{ id: string, file: File, group: Group }} Draft */

export const pending = signal(/** @type {Draft[]} */ ([]));
/** What was chosen beside them and is no book: a line for each file. */
export const refused = signal(/** @type {string[]} */ ([]));
let last = 0;

/** @param {string} start */
const nextId = (start) => `${start}-${(last += 1)}`;

/**
 * Put files into the queue.
 * @param {readonly File[]} files
 * @param {{ into?: { name: string, title: string, replaces?: string } | null, together?: boolean }} [how]
 */
export function enqueue(files, { into = null, together = false } = {}) {
  /** @param {File} file @returns {Group} */
  const own = (file) => ({ id: nextId('group'), library: into?.name ?? null, title: into?.title ?? stemOf(file.name), replaces: into?.replaces });
  const shared = files.length ? own(files[0]) : null;
  const drafts = files.map((file) => ({ id: nextId('draft'), file, group: (together && shared) || own(file) }));
  pending.value = [...pending.value, ...drafts];
}

/** @param {string} id */
export const drop = (id) => {
  pending.value = pending.value.filter((one) => one.id !== id);
};

/**
 * Take a draft in as it was looked at.
 * @param {Draft} draft
 * @param {{ title: string, language: 'zh' | 'en', fields: Record<string, string>, tables?: readonly File[], into?: { library: string, replaces: string } | null }} chosen
 * @param {readonly string[]} taken names of libraries
 */
export function accept({ id, file, group }, { title, language, fields, tables = [], into = null }, taken) {
  const library = into?.library ?? group.library ?? nameFor(title, [...taken, ...imports.value.map((one) => one.library)]);
  const replaces = into?.replaces ?? group.replaces;
  const isNew = into === null && group.library === null;
  const more = { ...fields, ...(isNew ? { title, language } : {}), ...(replaces ? { replaces } : {}) };
  begin({ library, title, file, fields: more, tables, makes: isNew ? language : null });
  const settled = { ...group, library, title };
  pending.value = pending.value.filter((one) => one.id !== id).map((one) => (one.group.id === group.id ? { ...one, group: settled } : one));
}

/**
 * Take in all that wait with the chapters that are found.
 * @param {readonly string[]} taken
 * @param {(draft: Draft, title: string) => { library: string, replaces: string } | null} intoOf  the text in whose place a new book comes
 * @returns {Promise<void>}
 */
export async function acceptAll(taken, intoOf) {
  while (pending.value.length) {
    const [{ id, file }] = pending.value;
    const form = new FormData();
    form.set('file', file);
    const found = await libraries.preview(form);
    const draft = pending.value.find((one) => one.id === id);
    if (!draft) continue; // the user decided on it meanwhile
    const isNew = draft.group.library === null;
    const title = (isNew && found.title) || draft.group.title;
    accept(draft, { title, language: found.language, fields: {}, into: isNew ? intoOf(draft, title) : null }, taken);
  }
}
