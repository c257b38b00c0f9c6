// @ts-check
/** Where citations stand: offsets count code points of a chapter's text. */
import { createContext } from '../../lib.js';
import { chapterTitle, isWithin } from '../../parts/positions.js';

/** @typedef {import('../../api/threads.js').Citation} Citation */
/** @typedef {import('../../api/stories.js').ChapterPlace} ChapterPlace */
/** @typedef {import('../../store.js').Guard} Guard */
/** @typedef {{ n: number, start: number, end: number }} Range */
/** @typedef {{ text: string, n: number | null }} Piece */

/**
 * Return whether a citation comes after what was read.
 * @param {Pick<Citation, 'part' | 'chapter'>} citation
 * @param {Guard | null} guard
 */
export function isBeyond({ part, chapter }, guard) {
  return typeof chapter === 'number' && !isWithin({ part: part ?? 1, chapter }, guard);
}

/** Whether the book of the talk is in parts, so that a chapter is named with its part. */
export const InParts = createContext(false);

/**
 * Name where a citation or a piece stands.
 * @param {{ title?: string | null, source?: string | null, location?: string | null, part?: number | null, chapter?: number | null }} place
 * @param {boolean} isInParts
 */
export function placeName({ title, source, location, part, chapter }, isInParts) {
  const isOfBook = typeof chapter === 'number';
  return placeLine([isOfBook ? chapterTitle({ part, title: title ?? source }, isInParts) : title ?? source, isOfBook && location === title ? null : location]);
}

/** Name a place in a line, nothing twice. @param {readonly (string | null | undefined)[]} parts from the whole to the part */
export const placeLine = (parts) => [...new Set(parts)].filter(Boolean).join(' · ');

/**
 * Return the index of a citation's chapter in the table of contents, -1 where it is not there.
 * @param {readonly ChapterPlace[]} chapters
 * @param {Citation} citation
 */
export function chapterOf(chapters, { source, part, chapter, title }) {
  const isSame = (/** @type {ChapterPlace} */ one) =>
    one.source === source && one.part === (part ?? 1) && one.chapter === (chapter ?? null);
  const titled = chapters.findIndex((one) => isSame(one) && one.title === title);
  return titled >= 0 ? titled : chapters.findIndex(isSame);
}

/**
 * Return where a citation stands in a text: at its offsets, or where its words are; null where they are not there.
 * @param {string[]} points  the text by code points
 * @param {Pick<Citation, 'n' | 'quote' | 'start' | 'end'>} citation
 * @returns {Range | null}
 */
export function rangeOf(points, { n, quote, start, end }) {
  if (typeof start === 'number' && typeof end === 'number' && points.slice(start, end).join('') === quote) return { n, start, end };
  const text = points.join('');
  const index = quote ? text.indexOf(quote) : -1;
  if (index < 0) return null;
  const before = [...text.slice(0, index)].length;
  return { n, start: before, end: before + [...quote].length };
}

/**
 * Cut a text into what is quoted and what is between; of ranges that overlap the wanted one stays.
 * @param {string[]} points
 * @param {readonly Range[]} ranges  the most wanted first
 * @returns {Piece[]}
 */
export function pieces(points, ranges) {
  /** @type {Range[]} */
  const free = [];
  for (const one of ranges) if (free.every((other) => one.end <= other.start || one.start >= other.end)) free.push(one);
  /** @type {Piece[]} */
  const found = [];
  let at = 0;
  for (const { n, start, end } of free.sort((one, other) => one.start - other.start)) {
    found.push({ text: points.slice(at, start).join(''), n: null }, { text: points.slice(start, end).join(''), n });
    at = end;
  }
  return [...found, { text: points.slice(at).join(''), n: null }].filter((one) => one.text !== '');
}
