// @ts-check
/** A chapter: its text with names and shown words marked, and what can be done from a paragraph. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { Fragment, html, useMemo, useRef, useState } from '../../lib.js';
import { chapterHref, personHref } from '../../parts/addresses.js';
import { useShortcuts } from '../../parts/keys.js';
import { useLoad } from '../../parts/load.js';
import { href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { classOf, looks } from './looks.js';
import { NameCard } from './name-card.js';
import { indexAt, linesOf, paragraphsOf, quoted } from './paragraphs.js';
import { keep, topmost, useFollowed, useRevealed } from './places.js';

/** @typedef {import('./paragraphs.js').Paragraph} Paragraph */
/** @typedef {{ library: string, place: stories.ChapterPlace, guard: import('../../store.js').Guard | null }} Shown */
/** @typedef {{ index: number, quote: string }} Chosen  quote: the words that were selected, or the paragraph */

const MOST_QUOTED = 120;
const LETTER = /[\p{L}\p{N}]/u; // a line without one divides scenes

/**
 * The text of a chapter.
 * @param {Shown & { text: string, at: number | null, to: number | null, start: number, onPlace: (start: number) => void }} props
 *   at, to: words that the address shows; start: where the reader was
 */
export function ChapterText({ library, place, guard, text, at, to, start, onPlace }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const chosenLooks = useSignal(looks);
  const paragraphs = useMemo(() => paragraphsOf(text), [text]);
  const known = useLoad((signal) => (chosenLooks.hasNames ? stories.chapterNames(library, place, { guard, signal }) : Promise.resolve([])), [library, guard, chosenLooks.hasNames], guard);
  const lines = useMemo(() => {
    const marked = at === null ? null : { start: at, end: to ?? paragraphs[indexAt(paragraphs, at)]?.end ?? at };
    return linesOf(paragraphs, known.data ?? [], marked);
  }, [paragraphs, known.data, at, to]);
  const [chosen, setChosen] = useState(/** @type {Chosen | null} */ (null));
  const [card, setCard] = useState(/** @type {string | null} */ (null));
  const shown = at ?? (start > 0 ? start : null);
  useRevealed(box, shown === null || paragraphs.length === 0 ? null : paragraphs[indexAt(paragraphs, shown)].start);
  useFollowed(box, at !== null, (here) => {
    onPlace(here);
    void keep(library, place, here);
  });
  /** @param {number} index */
  const choose = (index) => {
    if (index < 0 || index >= paragraphs.length) return;
    setChosen({ index, quote: paragraphs[index].text });
    box.current?.querySelectorAll('[data-at]')[index].scrollIntoView({ block: 'nearest' });
  };
  const first = () => indexAt(paragraphs, topmost(box.current) ?? 0) - 1;
  useShortcuts([
    { keys: 'j', label: () => t('read.nextParagraph'), run: () => choose((chosen?.index ?? first()) + 1) },
    { keys: 'k', label: () => t('read.previousParagraph'), run: () => choose((chosen?.index ?? first() + 1) - 1) },
    ...(chosen ? [{ keys: 'Escape', label: () => t('parts.close'), run: () => setChosen(null) }] : []),
  ]);
  const onClick = (/** @type {MouseEvent} */ event) => clicked(event, setCard, setChosen);
  return html`<${Fragment}><div class=${`read-text ${classOf(chosenLooks)}`} ref=${box} onClick=${onClick}>
    ${paragraphs.map((one, index) => html`<${Line} key=${one.start} library=${library} paragraph=${one} index=${index} pieces=${lines[index]} isChosen=${chosen?.index === index} />
      ${chosen?.index === index && html`<${Actions} library=${library} place=${place} paragraph=${one} quote=${chosen.quote} onClose=${() => setChosen(null)} />`}`)}
    </div>
    ${card !== null && html`<${NameCard} library=${library} name=${card} guard=${guard} onClose=${() => setCard(null)} />`}<//>`;
}

/**
 * What a click means: a name opens its card, words that are selected or a paragraph are chosen.
 * @param {MouseEvent} event
 * @param {(name: string) => void} onName
 * @param {(chosen: (before: Chosen | null) => Chosen | null) => void} onChoose
 */
function clicked(event, onName, onChoose) {
  if (!(event.target instanceof Element) || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest('.read-name');
  if (link instanceof HTMLElement) {
    event.preventDefault();
    onName(link.dataset.name ?? '');
    return;
  }
  const selected = String(getSelection() ?? '').trim();
  const paragraph = (selected ? getSelection()?.focusNode?.parentElement : event.target)?.closest('[data-index]');
  if (event.target.closest('a, button, dialog') || !(paragraph instanceof HTMLElement)) return;
  const index = Number(paragraph.dataset.index);
  onChoose((before) => (before?.index === index && !selected ? null : { index, quote: selected || (paragraph.textContent ?? '') }));
}

/** The tab key stops at a name where it comes first. @param {{ library: string, paragraph: Paragraph, index: number, pieces: import('./paragraphs.js').LinePiece[], isChosen: boolean }} props */
function Line({ library, paragraph, index, pieces, isChosen }) {
  const inside = (/** @type {import('./paragraphs.js').LinePiece} */ one) => (one.name === null ? one.text : html`<a class="read-name" data-name=${one.name} tabindex=${one.isFirst ? 0 : -1}
      href=${personHref(library, one.name)}>${one.text}</a>`);
  const [first, last] = [pieces.findIndex((one) => one.isMarked), pieces.findLastIndex((one) => one.isMarked)];
  const made = pieces.map(inside);
  const words = first < 0 ? made : [...made.slice(0, first), html`<mark class="is-current">${made.slice(first, last + 1)}</mark>`, ...made.slice(last + 1)];
  return html`<p class=${[paragraph.isApart && 'is-apart', !LETTER.test(paragraph.text) && 'is-break', isChosen && 'is-chosen'].filter(Boolean).join(' ')} data-at=${paragraph.start} data-index=${index}>${words}</p>`;
}

/** What can be done from a paragraph. @param {{ library: string, place: stories.ChapterPlace, paragraph: Paragraph, quote: string, onClose: () => void }} props */
function Actions({ library, place, paragraph, quote, onClose }) {
  return html`<div class="read-actions" role="toolbar" aria-label=${t('read.actions')}>
    <a class="button quiet" href=${href('desk', { library, query: { quote: quoted(quote, MOST_QUOTED) } })}>${t('read.askAbout')}</a>
    <a class="button quiet" href=${chapterHref(library, place, { at: paragraph.start })}>${t('read.address')}</a>
    <button type="button" class="button quiet" onClick=${onClose}>${t('parts.close')}</button>
  </div>`;
}
