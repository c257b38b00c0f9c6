// @ts-check
/** The questions on their way, one a thread. They go on while other views are shown. */
import { ask } from '../../api/threads.js';
import { isAbort } from '../../api/problems.js';
import { signal } from '../../signals.js';
import { begun, heard } from './live.js';
import { keep, release } from './lost.js';

/** @typedef {import('./live.js').Live} Live */
/** @typedef {import('../../signals.js').Signal<Live | null>} Following */
/**
 * @typedef {object} How
 * @property {string | null} library
 * @property {import('../../store.js').Guard | null} guard
 * @property {boolean} [isUnguarded]  its reader wants what comes later
 * @property {number} after  the number of the last turn before the question
 * @property {(signal: AbortSignal) => Promise<Partial<import('../../api/threads.js').Question>>} kits
 */

const FRAME_MS = 40;

/** @type {Map<string, Following>} */
const lives = new Map();
/** @type {Map<string, AbortController>} */
const controls = new Map();
/** How the answers of this visit came about, by their traces. @type {Map<string, Live>} */
export const processes = new Map();
/** The threads that are being answered. */
export const running = signal(/** @type {string[]} */ ([]));

/** @param {string} thread @returns {Following} */
export function following(thread) {
  const known = lives.get(thread) ?? signal(/** @type {Live | null} */ (null));
  lives.set(thread, known);
  return known;
}

/**
 * Ask on a thread, a new one where nobody has used its id; who follows it sees what comes.
 * @param {string} thread
 * @param {string} question
 * @param {How} how
 */
export async function start(thread, question, { library, guard, isUnguarded = false, after, kits }) {
  if (controls.has(thread)) return;
  const shown = following(thread);
  const control = new AbortController();
  controls.set(thread, control);
  running.value = [...running.value, thread];
  keep(thread, question, after);
  let live = shown.value = { ...begun(question, performance.now(), guard), isUnguarded };
  const publish = paced(() => { shown.value = live; });
  try {
    for await (const event of ask(thread, { ...await kits(control.signal), question, library }, { guard, signal: control.signal })) {
      live = heard(live, event);
      publish(event.name === 'answer');
    }
    live = { ...live, phase: live.answer ? 'done' : 'failed' };
  } catch (error) {
    live = { ...live, phase: isAbort(error) ? 'stopped' : 'failed', error: isAbort(error) ? null : error };
  }
  controls.delete(thread);
  if (live.phase === 'done') release(thread, question);
  else if (live.phase === 'stopped') keep(thread, question, after, { isStopped: true });
  live = { ...live, ended: performance.now() };
  if (live.answer?.trace_id) processes.set(live.answer.trace_id, live);
  publish(true);
  running.value = running.value.filter((one) => one !== thread);
}

/** Give the question of a thread up. @param {string} thread */
export const stop = (thread) => controls.get(thread)?.abort();

/** Forget what came of the last question of a thread. @param {string} thread */
export function forget(thread) {
  if (!controls.has(thread)) following(thread).value = null;
}

/** Call at once, then at most once a frame. @param {() => void} show */
function paced(show) {
  let last = -FRAME_MS;
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  const run = () => {
    clearTimeout(timer);
    timer = undefined;
    last = performance.now();
    show();
  };
  return (/** @type {boolean} */ isLast) => {
    if (isLast || performance.now() - last >= FRAME_MS) run();
    else timer ??= setTimeout(run, FRAME_MS);
  };
}
