// @ts-check
/** The addresses of the book, `#/library/ID/read/SOURCE/PART/CHAPTER?at=120&to=140`, and of who is in it. */
import { isWithin } from './positions.js';
import { href } from '../router.js';

/** @typedef {import('../api/stories.js').ChapterPlace} ChapterPlace */
/** @typedef {import('../api/stories.js').ChapterKey} ChapterKey */
/** @typedef {import('../store.js').Guard} Guard */
/** @typedef {{ at?: number | null, to?: number | null, title?: string | null }} Words  where the shown words begin and end, and the title of their chapter */

const WITHOUT_NUMBER = '-';

/**
 * Return the address of a chapter, or of words in it.
 * @param {string} library
 * @param {ChapterKey} chapter
 * @param {Words} [words]
 */
export function chapterHref(library, { source, part, chapter, copy_number }, { at, to, title } = {}) {
  const rest = [source, String(part), chapter === null ? WITHOUT_NUMBER : String(chapter), ...(copy_number ? [String(copy_number)] : [])];
  return href('read', { library, rest, query: { at: at ?? undefined, to: to ?? undefined, title: title || undefined } });
}

/**
 * Return the address of words that are quoted from a book; null where they have no place in one. Of chapters with one number the title tells which is meant.
 * @param {string | null} library
 * @param {{ source?: string | null, part?: number | null, chapter?: number | null, title?: string | null, start?: number | null, end?: number | null }} place
 */
export function quoteHref(library, { source, part, chapter, title, start, end }) {
  if (!library || !source || typeof chapter !== 'number') return null;
  return chapterHref(library, { source, part: part ?? 1, chapter, copy_number: 0 }, { at: start, to: end, title });
}

/** Return the address of somebody's card. @param {string} library @param {string} name */
export const personHref = (library, name) => href('people', { library, rest: [name], query: { show: 'table' } });

/**
 * Return the chapter that an address names.
 * @param {readonly string[]} rest
 * @returns {ChapterKey | null}
 */
export function chapterOfAddress([source, part, chapter, copy]) {
  if (source === undefined || part === undefined) return null;
  return { source, part: Number(part), chapter: chapter === undefined || chapter === WITHOUT_NUMBER ? null : Number(chapter), copy_number: Number(copy ?? 0) };
}

/**
 * Return the index of a chapter, before others of its number that of its title; of one whose text is not there any more that of the same number.
 * @param {readonly ChapterPlace[]} chapters
 * @param {ChapterKey} wanted
 * @param {string} [title]
 */
export function indexOfChapter(chapters, wanted, title) {
  const isSame = (/** @type {ChapterPlace} */ one) => one.part === wanted.part && one.chapter === wanted.chapter;
  const titled = chapters.findIndex((one) => isSame(one) && one.source === wanted.source && one.title === title);
  if (titled >= 0) return titled;
  const exact = chapters.findIndex((one) => isSame(one) && one.source === wanted.source && one.copy_number === wanted.copy_number);
  return exact >= 0 ? exact : chapters.findIndex(isSame);
}

/** Whether a chapter comes after what was read; one without a number does. @param {ChapterPlace} one @param {Guard | null} guard */
export const isHidden = (one, guard) => guard !== null && (one.chapter === null || !isWithin({ part: one.part, chapter: one.chapter }, guard));

/**
 * Return the index of the chapter that follows, -1 behind the last one. Under a guard those without a number are passed over.
 * @param {readonly ChapterPlace[]} chapters
 * @param {number} index
 * @param {Guard | null} guard
 * @param {-1 | 1} step
 */
export function beside(chapters, index, guard, step) {
  for (let at = index + step; at >= 0 && at < chapters.length; at += step) if (guard === null || chapters[at].chapter !== null) return at;
  return -1;
}
