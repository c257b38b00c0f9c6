// @ts-check
/** Books that are on their way into a library. They go on while other views are shown; a page loaded anew finds their jobs. */
import * as libraries from '../../api/libraries.js';
import { errorText, isAbort } from '../../api/problems.js';
import { keep, keptOf } from '../../kept.js';
import { remembered, signal } from '../../signals.js';

/** @typedef {import('../../api/libraries.js').Job} Job */
/** @typedef {'waiting' | 'sending' | 'running' | 'done' | 'failed' | 'cancelled'} Phase */
/**
 * @typedef {object} Wanted
 * @property {string} library
 * @property {string} title
 * @property {File | null} file  null where a page loaded anew knows only the job
 * @property {Record<string, string>} fields  headings, chapters, title, language, replaces
 * @property {readonly File[]} [tables]  aliases, relations and events that come along
 * @property {'zh' | 'en' | null} makes  the language of a library that is made first
 */
/** @typedef {Wanted & { id: string, phase: Phase, sent: number, job: Job | null, error: string }} Import */

export const imports = signal(/** @type {Import[]} */ ([]));
/** Counts finished imports: the shelf then loads its books anew. */
export const arrivals = signal(0);

/** @type {Map<string, Promise<void>>} */
const queues = new Map(); // a library takes in one text at a time
/** @type {Map<string, AbortController>} */
const controls = new Map();
let last = 0;

/** @param {string} id @param {Partial<Import>} values */
function change(id, values) {
  imports.value = imports.value.map((one) => (one.id === id ? { ...one, ...values } : one));
}

/** Begin an import, behind others of its library. @param {Wanted} wanted */
export function begin(wanted) {
  keep(KEPT, wanted.library, wanted.fields);
  last += 1;
  const id = `import-${last}`;
  imports.value = [...imports.value, { ...wanted, id, phase: 'waiting', sent: 0, job: null, error: '' }];
  queue(id, wanted.library);
}

/** @param {Pick<Import, 'phase'>} one */
export const isOver = ({ phase }) => ['done', 'failed', 'cancelled'].includes(phase);

/** Begin again what was stopped or failed: what was written stays. @param {Import} one @param {File} file */
export function again(one, file) {
  change(one.id, { phase: 'waiting', sent: 0, job: null, error: '', file });
  queue(one.id, one.library);
}

/** @param {string} id @param {string} library */
function queue(id, library) {
  const before = queues.get(library) ?? Promise.resolve();
  queues.set(library, before.then(() => run(id)));
}

/** @param {string} id */
async function run(id) {
  const one = imports.value.find((other) => other.id === id);
  if (one?.phase !== 'waiting' || one.file === null) return;
  const control = new AbortController();
  controls.set(id, control);
  try {
    await make(one);
    change(id, { phase: 'sending' });
    const job = await libraries.addSource(one.library, formOf(one, one.file), {
      signal: control.signal,
      onProgress: (sent, total) => change(id, { sent: sent / total }),
    });
    await watch(id, job);
  } catch (error) {
    change(id, isAbort(error) ? { phase: 'cancelled' } : { phase: 'failed', error: errorText(error) });
  } finally {
    controls.delete(id);
    arrivals.value += 1;
  }
}

/** Make the library of an import where it is new. @param {Import} one */
async function make({ id, library, title, makes }) {
  if (makes === null) return;
  await libraries.make({ name: library, title, language: makes });
  change(id, { makes: null });
}

/** @param {Import} one @param {File} file */
function formOf({ fields, tables = [] }, file) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value) form.set(name, value);
  form.set('file', file);
  for (const table of tables) form.append('graph', table, table.name);
  return form;
}

/** Follow a job to its end. @param {string} id @param {Job} job */
async function watch(id, job) {
  change(id, { phase: 'running', job });
  for await (const now of libraries.followed(job)) change(id, { job: now, phase: phaseOf(now), error: now.error ?? '' });
}

/** @param {Job} job @returns {Phase} */
const phaseOf = ({ state }) => state;

/** Stop an import; what was written stays. @param {Import} one */
export async function stop(one) {
  if (one.phase === 'waiting') change(one.id, { phase: 'cancelled' });
  else if (one.job === null) controls.get(one.id)?.abort();
  else await libraries.stopJob(one.job.id);
}

const MOST_DISMISSED = 50;
/** Jobs whose imports were taken off the shelf, in whichever tab. */
const dismissed = remembered('dismissed', /** @type {string[]} */ ([]), /** @type {(value: unknown) => value is string[]} */ (Array.isArray), { isShared: true });
dismissed.subscribe((jobs) => {
  imports.value = imports.value.filter(({ job }) => job === null || !jobs.includes(job.id));
});

/** Take a finished import off the shelf, in all tabs, and the older ones that it hides. @param {string} id */
export function dismiss(id) {
  const [shown, gone] = [current(imports.value), imports.value.filter((one) => one.id === id)];
  const { library } = gone[0] ?? {};
  gone.push(...imports.value.filter((one) => one.library === library && !shown.includes(one)));
  imports.value = imports.value.filter((one) => !gone.includes(one));
  dismissed.value = [...dismissed.value, ...gone.flatMap(({ job }) => job?.id ?? [])].slice(-MOST_DISMISSED);
}

const KEPT = 'wenmai.import'; // by library how a text was to be divided, for a page that is loaded anew before it is taken in

/** Watch a job that began elsewhere. @param {Job} job @param {string} title */
export function adopt(job, title) {
  if (dismissed.value.includes(job.id) || imports.value.some((one) => one.job?.id === job.id)) return;
  last += 1;
  const id = `import-${last}`;
  const error = job.error ?? '';
  imports.value = [...imports.value, { id, library: job.subject, title, file: null, fields: keptOf(KEPT)[job.subject] ?? {}, makes: null, phase: phaseOf(job), sent: 1, job, error }];
  if (job.state === 'running') {
    watch(id, job).catch((failure) => change(id, { phase: 'failed', error: errorText(failure) })).finally(() => (arrivals.value += 1));
  }
}

/**
 * Return the imports that are shown: of what has ended in a library the newest alone, but a text that failed until it is sent again.
 * @template {Pick<Import, 'library' | 'phase'> & { file: { name: string } | null }} T
 * @param {readonly T[]} all the oldest first
 */
export const current = (all) => all.filter((one, at) => !isOver(one) || !all.slice(at + 1).some((later) =>
  later.library === one.library && (one.phase !== 'failed' || later.file?.name === one.file?.name)));

/**
 * Return the jobs that a page which is loaded anew shows: those that run, and the last of a library where it broke off.
 * @param {readonly Job[]} jobs the newest first
 * @param {readonly string[]} known names of the libraries that are there
 */
export function shownJobs(jobs, known) {
  const newest = new Map();
  for (const job of jobs) if (job.kind === 'ingest' && !newest.has(job.subject)) newest.set(job.subject, job);
  return [...newest.values()].filter((job) => job.state === 'running' || (job.state === 'cancelled' && known.includes(job.subject)));
}
