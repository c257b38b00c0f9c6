// @ts-check
/** The list of headings that divides a text: made from a preview, mended, and sent back. */

/** @typedef {import('../../api/libraries.js').Preview} Preview */
/** @typedef {{ kind: 'volume', title: string, isPrinted: boolean, line: number }} VolumeRow */
/** @typedef {Preview['chapters'][number] & { kind: 'chapter', index: number }} ChapterRow */
/** @typedef {{ kind: 'part', title: string, part: number, line: number }} PartRow  a part that no line names */
/** @typedef {VolumeRow | ChapterRow | PartRow} Row */

const VOLUME_MARK = '==';

/** @param {string} text */
const squeezed = (text) => text.replace(/\s/g, '');

/**
 * Return the rows of a preview: a volume, or a part, before its first chapter.
 * @param {Preview} preview
 * @returns {Row[]}
 */
export function rowsOf(preview) {
  /** @type {Row[]} */
  const rows = [];
  let volume = '';
  let part = preview.chapters[0]?.part;
  preview.chapters.forEach((chapter, index) => {
    if (chapter.volume && chapter.volume !== volume) {
      rows.push({ kind: 'volume', title: chapter.volume, isPrinted: squeezed(chapter.heading).includes(squeezed(chapter.volume)), line: chapter.line });
    } else if (chapter.part !== part) {
      rows.push({ kind: 'part', title: '', part: chapter.part, line: 0 });
    }
    part = chapter.part;
    volume = chapter.volume || volume;
    rows.push({ ...chapter, kind: 'chapter', index });
  });
  return rows;
}

/**
 * Return the list that divides a text as these rows do; '' where none has a heading.
 * @param {readonly Row[]} rows
 */
export const listOf = (rows) => rows.flatMap(lineOf).join('\n');

/** @param {Row} row @returns {string[]} */
function lineOf(row) {
  if (row.kind === 'part') return [];
  if (row.kind === 'volume') return row.isPrinted ? [] : [`${VOLUME_MARK} ${row.title}`];
  return row.heading ? [`${row.heading}\t${row.title}`] : [];
}

/** @param {readonly Row[]} rows @param {number} at */
export const without = (rows, at) => rows.filter((_, index) => index !== at);

/** @param {readonly Row[]} rows @param {number} at @param {string} title @returns {Row[]} */
export const renamed = (rows, at, title) => rows.map((row, index) => (index === at ? { ...row, title } : row));

/** Let a part begin before a row. @param {readonly Row[]} rows @param {number} at @param {string} title @returns {Row[]} */
export const withVolume = (rows, at, title) => [...rows.slice(0, at), { kind: 'volume', title, isPrinted: false, line: 0 }, ...rows.slice(at)];

/** Make the heading of a chapter that of a part. @param {readonly Row[]} rows @param {number} at @returns {Row[]} */
export function asVolume(rows, at) {
  const row = rows[at];
  if (row.kind !== 'chapter') return [...rows];
  return rows.map((one, index) => (index === at ? { kind: 'volume', title: row.heading, isPrinted: false, line: row.line } : one));
}

/**
 * Let a chapter begin at a line of the text, behind a row.
 * @param {readonly Row[]} rows
 * @param {number} after
 * @param {string} heading
 * @returns {Row[]}
 */
export function withChapter(rows, after, heading) {
  const row = /** @type {ChapterRow} */ ({ kind: 'chapter', index: -1, part: 0, number: 0, title: heading, volume: '', heading, line: 0, characters: 0, beginning: '' });
  return [...rows.slice(0, after + 1), row, ...rows.slice(after + 1)];
}

/** Return the row that a line of the file is in. @param {readonly Row[]} rows @param {number} line */
export const rowAt = (rows, line) => rows.findLastIndex((row) => row.line > 0 && row.line <= line);

/** Whether a chapter is counted: not what stands before the first or alone in its part, such as an epilogue. @param {ChapterRow} row @param {Preview} preview */
export const isCounted = (row, preview) => row.number > 0 && (preview.chapters.length === 1 || preview.parts.find((one) => one.part === row.part)?.chapters !== 1);

/** Whether mending loses chapters whose headings do not stand in the text. @param {Preview} preview */
export const losesChapters = (preview) => preview.chapters.some((one, index) => !one.heading && (index > 0 || one.number > 0)) && preview.chapters.length > 1;
