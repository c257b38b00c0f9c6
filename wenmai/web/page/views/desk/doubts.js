// @ts-check
/** What the check doubts, in the sentence: its words are marked, and behind them stands why. */
import { t } from '../../i18n/index.js';

/** @typedef {import('../../api/threads.js').Turn['notes']} Notes */

const DOUBT = /\[(?:存疑|unverified)\]/; // as an answer in either language has it
const NOT_LETTERS = /[^\p{L}\p{N}]+/gu;
const BLOCK = 'p, li, td, th, h1, h2, h3, h4, h5, h6, blockquote';
const ASIDE = '.desk-mark, .desk-doubt, code, pre';

/**
 * Mark the doubtful sentences of a fragment.
 * @param {DocumentFragment} fragment
 * @param {Notes} notes
 */
export function withDoubts(fragment, notes = []) {
  const flagged = notes.filter((one) => one.action === 'flagged');
  for (let text = next(fragment); text; text = next(fragment)) {
    const match = /** @type {RegExpExecArray} */ (DOUBT.exec(text.data));
    const rest = text.splitText(match.index);
    rest.data = rest.data.slice(match[0].length);
    const label = document.createElement('span');
    label.className = 'desk-doubt';
    rest.before(label);
    const reason = flagged.find((one) => marked(label, lettersOf(one.text)))?.reason;
    label.textContent = [t('desk.note_flagged'), ...(reason ? [t(`desk.because_${reason}`)] : [])].join(t('people.colon'));
  }
}

/** @param {string} text */
const lettersOf = (text) => text.replace(NOT_LETTERS, '');

/** The first text that says that something is doubtful. @param {DocumentFragment} fragment */
const next = (fragment) => textsOf(fragment).find((one) => DOUBT.test(one.data) && !one.parentElement?.closest(ASIDE)) ?? null;

/** @param {Node} root @returns {Text[]} */
function textsOf(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const found = [];
  while (walker.nextNode()) found.push(/** @type {Text} */ (walker.currentNode));
  return found;
}

/**
 * Mark what stands before a label and says these letters; whether it is there.
 * @param {HTMLElement} label
 * @param {string} letters
 */
function marked(label, letters) {
  const block = label.closest(BLOCK) ?? label.parentNode;
  if (!block || !letters) return false;
  const isBefore = (/** @type {Text} */ one) => Boolean(one.compareDocumentPosition(label) & Node.DOCUMENT_POSITION_FOLLOWING);
  const texts = textsOf(block).filter((one) => isBefore(one) && !one.parentElement?.closest(ASIDE));
  const places = texts.flatMap((text) => [...text.data.matchAll(/[\p{L}\p{N}]/gu)].map((one) => ({ text, at: one.index, end: one.index + one[0].length, sign: one[0] })));
  const at = places.map((one) => one.sign).join('').lastIndexOf(letters);
  if (at < 0) return false;
  const own = places.slice(...spanOf(places, at, letters.length));
  for (const text of new Set(own.map((one) => one.text))) {
    const here = own.filter((one) => one.text === text);
    mark(text, here[0].at, here[here.length - 1].end);
  }
  return true;
}

/** Return which signs begin and end at these offsets of all of them joined. @param {readonly { sign: string }[]} places @param {number} at @param {number} length @returns {[number, number]} */
function spanOf(places, at, length) {
  /** @type {number[]} */
  const starts = [];
  places.reduce((sum, one) => (starts.push(sum), sum + one.sign.length), 0);
  const end = starts.findIndex((one) => one >= at + length);
  return [starts.indexOf(at), end < 0 ? places.length : end];
}

/** @param {Text} text @param {number} start @param {number} end */
function mark(text, start, end) {
  const made = document.createElement('mark');
  made.className = 'desk-doubtful';
  const own = text.splitText(start);
  own.splitText(end - start);
  own.replaceWith(made);
  made.append(own);
}
