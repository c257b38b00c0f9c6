// @ts-check
/** A chapter as paragraphs, a paragraph as pieces: names, and the words that are shown. Offsets count code points. */

/** @typedef {{ start: number, end: number }} Range */
/** @typedef {Range & { text: string, isApart: boolean }} Paragraph  isApart: more than the usual space is before it */
/** @typedef {Range & { name: string }} Named */
/** @typedef {{ text: string, name: string | null, isMarked: boolean }} Piece */
/** @typedef {Piece & { isFirst: boolean }} LinePiece  isFirst: its name comes for the first time in the chapter */

const ASTRAL = /[\ud800-\udfff]/;

/** @param {string} text */
const lengthOf = (text) => (ASTRAL.test(text) ? [...text].length : text.length);

/**
 * Return the lines of a text that say something, without the blanks around them.
 * @param {string} text
 * @returns {Paragraph[]}
 */
export function paragraphsOf(text) {
  /** @type {Paragraph[]} */
  const found = [];
  let at = 0;
  let isApart = false;
  for (const line of text.split('\n')) {
    const shown = line.trim();
    const start = at + line.length - line.trimStart().length;
    if (shown) found.push({ start, end: start + lengthOf(shown), text: shown, isApart: isApart && found.length > 0 });
    isApart = !shown;
    at += lengthOf(line) + 1;
  }
  const isUsual = found.filter((one) => one.isApart).length > found.length / 2; // a blank line divides any two
  return isUsual ? found.map((one) => ({ ...one, isApart: false })) : found;
}

/**
 * Return the index of the paragraph that a place lies in, or that is before it.
 * @param {readonly Range[]} paragraphs
 * @param {number} at
 */
export const indexAt = (paragraphs, at) => Math.max(0, paragraphs.findLastIndex((one) => one.start <= at));

/**
 * Return the names of each paragraph.
 * @param {readonly Paragraph[]} paragraphs
 * @param {readonly Named[]} names in their order
 * @returns {Named[][]}
 */
export function namesBy(paragraphs, names) {
  let next = 0;
  return paragraphs.map(({ start, end }) => {
    while (next < names.length && names[next].start < start) next += 1;
    const first = next;
    while (next < names.length && names[next].start < end) next += 1;
    return names.slice(first, next).filter((one) => one.end <= end);
  });
}

/**
 * Cut a paragraph where a name or the marked words begin and end.
 * @param {Paragraph} paragraph
 * @param {readonly Named[]} names those in it
 * @param {Range | null} marked
 * @returns {Piece[]}
 */
export function piecesOf({ start, end, text }, names, marked) {
  const isSeen = marked !== null && marked.start < end && marked.end > start;
  const ranges = isSeen ? [...names, marked] : names;
  if (ranges.length === 0) return [{ text, name: null, isMarked: false }];
  const points = ASTRAL.test(text) ? [...text] : text;
  const part = (/** @type {number} */ from, /** @type {number} */ to) => (typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join(''));
  const inside = (/** @type {number} */ at) => Math.min(Math.max(at, start), end);
  const edges = [...new Set([start, end, ...ranges.flatMap((one) => [inside(one.start), inside(one.end)])])].sort((one, other) => one - other);
  return edges.slice(0, -1).map((from, index) => ({
    text: part(from - start, edges[index + 1] - start),
    name: names.find((one) => one.start <= from && from < one.end)?.name ?? null,
    isMarked: isSeen && marked.start <= from && from < marked.end,
  }));
}

/**
 * Return the pieces of each paragraph.
 * @param {readonly Paragraph[]} paragraphs
 * @param {readonly Named[]} names in their order
 * @param {Range | null} marked
 * @returns {LinePiece[][]}
 */
export function linesOf(paragraphs, names, marked) {
  const seen = new Set();
  return namesBy(paragraphs, names).map((own, index) => piecesOf(paragraphs[index], own, marked).map((piece) => {
    const isFirst = piece.name !== null && !seen.has(piece.name);
    if (isFirst) seen.add(piece.name);
    return { ...piece, isFirst };
  }));
}

/**
 * Return words to quote in a question: not more than so many characters, cut at the end of a sentence where there is one.
 * @param {string} text
 * @param {number} most
 */
export function quoted(text, most) {
  const plain = [...text.replace(/\s+/g, ' ').trim()];
  if (plain.length <= most) return plain.join('');
  const cut = plain.slice(0, most).join('');
  const end = Math.max(...['。', '！', '？', '. ', '! ', '? '].map((sign) => cut.lastIndexOf(sign)));
  return end >= most / 3 ? cut.slice(0, end + 1) : `${cut}…`;
}
