// @ts-check
/** The marks `[n]` of an answer: buttons that open the citation. */
import { t } from '../../i18n/index.js';

const MARK = /\[(\d{1,3})\]/;
const NOT_INSIDE = 'a, code, pre';

/**
 * Cut a text at its marks.
 * @param {string} text
 * @returns {(string | number)[]}
 */
export const cut = (text) =>
  text.split(MARK).map((one, index) => (index % 2 ? Number(one) : one)).filter((one) => one !== '');

/**
 * Make the marks of a fragment buttons; those that name no citation become plain.
 * @param {DocumentFragment} fragment
 * @param {ReadonlySet<number>} known
 */
export function withMarks(fragment, known) {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const one of texts.filter((text) => MARK.test(text.data) && !text.parentElement?.closest(NOT_INSIDE))) {
    one.replaceWith(...cut(one.data).reduce((made, part) => joined(made, part, known), /** @type {(string | Node)[]} */ ([])));
  }
}

/**
 * Add a piece; a mark stays on one line with the character before it.
 * @param {(string | Node)[]} made
 * @param {string | number} part
 * @param {ReadonlySet<number>} known
 */
function joined(made, part, known) {
  if (typeof part === 'string') return [...made, part];
  const button = mark(part, known.has(part));
  const before = made.at(-1);
  if (typeof before !== 'string') return [...made, button];
  const points = [...before];
  const kept = document.createElement('span');
  kept.className = 'desk-joined';
  kept.append(points.pop() ?? '', button);
  return [...made.slice(0, -1), points.join(''), kept];
}

/** @param {number} n @param {boolean} isKnown */
function mark(n, isKnown) {
  const made = document.createElement(isKnown ? 'button' : 'span');
  made.className = 'desk-mark';
  made.textContent = String(n);
  if (made instanceof HTMLButtonElement) {
    made.type = 'button';
    made.dataset.n = String(n);
    made.setAttribute('aria-label', t('desk.mark', { n }));
  }
  return made;
}

/**
 * Return the number of the mark that an event came from, with its button.
 * @param {Event} event
 * @returns {{ n: number, button: HTMLElement, turn: string } | null}
 */
export function markOf(event) {
  const button = event.target instanceof Element ? event.target.closest('[data-n]') : null;
  const turn = button?.closest('[data-turn]');
  if (!(button instanceof HTMLElement) || !(turn instanceof HTMLElement)) return null;
  return { n: Number(button.dataset.n), button, turn: turn.dataset.turn ?? '' };
}
