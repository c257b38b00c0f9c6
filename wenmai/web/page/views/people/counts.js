// @ts-check
/** How often somebody is named, chapter by chapter, as a line of bars. */
import { compare } from '../../parts/positions.js';

/** @typedef {import('../../store.js').Guard} Guard */
/** @typedef {[number, number | null, number]} Count  part, chapter, passages */

const MOST_BARS = 60;

/**
 * Return the first numbered chapter of counts; none where there is none.
 * @param {readonly Count[]} counts
 * @returns {Guard | { part: null, chapter: null }}
 */
export function firstOf(counts) {
  const places = counts.flatMap(([part, chapter]) => (chapter === null ? [] : [{ part, chapter }]));
  return places.length > 0 ? places.sort(compare)[0] : { part: null, chapter: null };
}

/**
 * Return the counts along the positions of a book, in at most 60 steps of several chapters each.
 * @param {readonly Guard[]} places
 * @param {readonly Count[]} counts
 */
export function steps(places, counts) {
  const index = new Map(places.map((one, at) => [`${one.part}.${one.chapter}`, at]));
  const width = Math.max(1, Math.ceil(places.length / MOST_BARS));
  const sums = Array(Math.ceil(places.length / width)).fill(0);
  for (const [part, chapter, count] of counts) {
    const at = index.get(`${part}.${chapter}`);
    if (at !== undefined) sums[Math.floor(at / width)] += count;
  }
  return /** @type {number[]} */ (sums);
}

/**
 * Return the path of the bars.
 * @param {readonly number[]} values
 * @param {number} width
 * @param {number} height
 */
export function bars(values, width, height) {
  const top = Math.max(1, ...values);
  const gap = width / Math.max(1, values.length);
  return values.map((value, at) => (value ? `M${rounded((at + 0.5) * gap)} ${height}V${rounded(height - Math.max(1.5, (value / top) * height))}` : '')).join('');
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 10) / 10;
