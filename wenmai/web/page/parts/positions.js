// @ts-check
/** The places where a reader may stop: the numbered chapters of a library, by part. */
import { t } from '../i18n/index.js';

/** @typedef {import('../store.js').Guard} Guard */
/** @typedef {Guard & { title: string }} Position */
/** @typedef {import('../api/stories.js').ChapterPlace} ChapterPlace */

/** Return a number below 0 where the first of two places of a book comes first. @param {Guard} one @param {Guard} other */
export const compare = (one, other) => one.part - other.part || one.chapter - other.chapter;

/** Whether what was read up to one guard holds nothing beyond another. @param {Guard | null} one @param {Guard | null} other */
export const isWithin = (one, other) => other === null || (one !== null && compare(one, other) <= 0);

/**
 * Return the positions in reading order; a number that a part has twice is one position.
 * @param {readonly Pick<ChapterPlace, 'part' | 'chapter' | 'title'>[]} chapters
 * @returns {Position[]}
 */
export function positions(chapters) {
  /** @type {Map<string, Position>} */
  const found = new Map();
  for (const { part, chapter, title } of chapters) {
    const key = `${part}.${chapter}`;
    if (chapter !== null && !found.has(key)) found.set(key, { part, chapter, title });
  }
  return [...found.values()].sort(compare);
}

/** Whether chapters are in more than one part. @param {readonly { part: number }[]} chapters */
export const hasParts = (chapters) => chapters.some((one) => one.part !== chapters[0].part);

/** Name a chapter; where the book is in parts, whose chapters may be counted anew, with its part. @param {{ part?: number | null, title?: string | null }} place @param {boolean} isInParts */
export const chapterTitle = ({ part, title }, isInParts) => (isInParts && title ? t('parts.place', { part: part ?? 1, title }) : title ?? '');

/** Whether a library is in parts: each is a source. @param {{ sources: readonly string[] } | null} book */
export const isInParts = (book) => (book?.sources.length ?? 0) > 1;

/**
 * Return the index of the last position that a guard shows; the number of positions for the whole book.
 * @param {readonly Guard[]} all
 * @param {Guard | null} guard
 */
export function indexOf(all, guard) {
  if (guard === null) return all.length;
  const shown = all.filter((one) => isWithin(one, guard));
  return Math.max(0, shown.length - 1);
}

/**
 * Name a place for a person.
 * @param {readonly Position[]} all
 * @param {Guard | null} guard
 */
export function placeText(all, guard) {
  if (guard === null) return t('parts.whole');
  const exact = all.find((one) => one.part === guard.part && one.chapter === guard.chapter);
  const title = exact?.title || t('parts.chapter', { n: guard.chapter });
  return all.some((one) => one.part !== 1) ? t('parts.place', { part: guard.part, title }) : title;
}
