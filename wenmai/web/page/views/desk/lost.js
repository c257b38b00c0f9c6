// @ts-check
/** The questions that got no answer, for they were stopped, or the server or the page went away: kept by this tab until they are answered. */
import { keep as keepIn, keptOf } from '../../kept.js';

/** @typedef {import('../../api/threads.js').Turn} Turn */
/** @typedef {{ isStopped?: boolean }} Stopped */
/** @typedef {{ question: string, after: number } & Stopped} Asked  after: the number of the turn before it, 0 without one */

const KEPT = 'wenmai.asked';

/** @param {string} thread @returns {Asked[]} */
export const lost = (thread) => keptOf(KEPT)[thread] ?? [];

/**
 * Keep a question from when it is sent; one that is asked again moves to its new place.
 * @param {string} thread
 * @param {string} question
 * @param {number} after
 * @param {Stopped} [how]  isStopped: its reader gave it up
 */
export const keep = (thread, question, after, how = {}) => put(thread, [...without(thread, question), { question, after, ...how }]);

/** Drop a question that came to its end. @param {string} thread @param {string} question */
export const release = (thread, question) => put(thread, without(thread, question));

/** Drop all questions of a thread. @param {string} thread */
export const releaseAll = (thread) => put(thread, []);

/**
 * Return the turns with the lost questions where they were asked. One that the server keeps is not lost.
 * @param {readonly Turn[]} turns
 * @param {readonly Asked[]} missed
 * @returns {(Turn & Stopped)[]}
 */
export function withLost(turns, missed) {
  const isKept = (/** @type {Asked} */ { question, after }) => turns.some((one) => one.question === question && (one.number ?? 0) > after);
  const left = missed.filter((one) => !isKept(one));
  const rows = [0, ...turns.map((one) => one.number ?? 0)];
  const last = Math.max(...rows);
  const after = (/** @type {number} */ number) => left.filter((one) => Math.min(one.after, last) === number).map(unanswered);
  const isStopped = (/** @type {Turn} */ turn) => missed.some((one) => one.isStopped && one.question === turn.question && (turn.number ?? 0) > one.after);
  return [...after(0), ...turns.flatMap((one) => [one.answer === '' && isStopped(one) ? { ...one, isStopped: true } : one, ...after(one.number ?? 0)])];
}

/** @param {Asked} asked */
const unanswered = ({ question, isStopped }) => /** @type {Turn & Stopped} */ (/** @type {unknown} */ ({ number: null, question, answer: '', ...(isStopped && { isStopped }) }));

/** @param {string} thread @param {string} question */
const without = (thread, question) => lost(thread).filter((one) => one.question !== question);

/** @param {string} thread @param {Asked[]} left */
const put = (thread, left) => keepIn(KEPT, thread, left.length ? left : undefined);
