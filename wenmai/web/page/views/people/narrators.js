// @ts-check
/** Who says "I" in the chapters: as the server lists it, set by an administrator, taken back. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Loader, useLoad } from '../../parts/load.js';
import { toast } from '../../parts/toast.js';
import { useGuard } from '../../store.js';
import { Buttons, said, useChange } from './mending.js';
import { PersonSearch } from './person-search.js';
import { placeOf } from './words.js';

/** @typedef {import('../../api/stories.js').ChapterNarrator} Row */
/** @typedef {Row & { last: number | null }} Range  chapters of a part that follow each other, `chapter` to `last` */
/** @typedef {{ library: string, known: import('./data.js').Known, onChanged: () => void }} Props */

/**
 * Return the chapters as ranges of one narrator, and of one who says so; a chapter without a number stands alone.
 * @param {readonly Row[]} rows
 */
export function rangesOf(rows) {
  /** @type {Range[]} */
  const ranges = [];
  for (const row of rows) {
    const before = ranges.at(-1);
    const goesOn = before && before.last !== null && row.chapter !== null && before.part === row.part && before.name === row.name && before.by === row.by;
    if (goesOn) before.last = row.chapter;
    else ranges.push({ ...row, last: row.chapter });
  }
  return ranges;
}

/** @param {Range} range @param {boolean} hasParts */
function rangeText({ part, chapter, last, title }, hasParts) {
  if (chapter === null || last === null) return title || placeOf({ part, chapter }, hasParts);
  if (chapter === last) return placeOf({ part, chapter }, hasParts);
  return hasParts ? t('people.partChapters', { part, from: chapter, to: last }) : t('people.chaptersFromTo', { from: chapter, to: last });
}

/** The dialog; `of` is chosen already. @param {Props & { of: string | null, onClose: () => void }} props */
export function Narrators({ library, known, onChanged, of, onClose }) {
  const guard = useGuard(library);
  const all = useLoad((signal) => stories.narrators(library, { guard, signal }), [library, guard], guard);
  const [picked, setPicked] = useState(of ?? '');
  const [name, setName] = useState(/** @type {string | null | undefined} */ (of ?? undefined)); // null: nobody narrates
  const [bounds, setBounds] = useState(/** @type {Bounds} */ ({ part: null, first: null, last: null }));
  const { error, isBusy, change } = useChange(onChanged);
  const isDecided = all.data?.some((one) => one.by === 'person') ?? true;
  const undoAll = () => stories.undoNarrators(library);
  const pick = (/** @type {string} */ found) => {
    setPicked(found);
    setName(found);
  };
  /** @param {() => Promise<stories.Narrators>} act @param {(n: number) => string} text @param {() => unknown} [undo] */
  const decide = async (act, text, undo) => {
    let passages = 0;
    const done = async () => {
      passages = (await act()).passages;
    };
    if (!(await change(done))) return;
    toast(text(passages), { undo });
    onClose();
  };
  /** @param {Event} event */
  const set = (event) => {
    event.preventDefault();
    if (name === undefined) return;
    // The server takes back all decisions at once: a way back from this one alone is only there where it is the first.
    const undo = isDecided || guard ? undefined : () => undoAll().then(() => onChanged(), said);
    decide(() => stories.setNarrator(library, { name, ...bounds }), (n) => t('people.narratorDone', { n, name: name ?? t('people.narratorNobody') }), undo);
  };
  const choice = (/** @type {string | null} */ one) => html`<label class="row people-choice">
    <input type="radio" name="narrator" checked=${name === one} onChange=${() => setName(one)} />${one ?? t('people.narratorNobody')}</label>`;
  return html`<${Dialog} title=${t('people.narratorsTitle')} onClose=${onClose}>
    <${Loader} of=${all}>${(/** @type {Row[]} */ rows) => html`<${List} rows=${rows} hasParts=${known.hasParts} />
      ${isDecided && html`<button type="button" class="button" disabled=${isBusy} onClick=${() => decide(undoAll, (n) => t('people.narratorsUndone', { n }))}>${t('people.narratorsUndo')}</button>`}`}<//>
    <form class="stack" onSubmit=${set}>
      <fieldset class="people-kept"><legend>${t('people.narratorNew')}</legend>
        <${PersonSearch} label=${t('people.find')} people=${known.entities} onPick=${pick} />
        ${picked && choice(picked)}${choice(null)}</fieldset>
      <${Chapters} known=${known} bounds=${bounds} onChange=${setBounds} />
      <p class="muted small">${t('people.narratorHint')}</p>
      ${guard && html`<p class="muted small">${t('people.narratorAll')}</p>`}
      ${error && html`<${ErrorLine} error=${error} />`}
      <${Buttons} label=${t('people.narratorDo')} isReady=${!isBusy && name !== undefined} onClose=${onClose} />
    </form>
  <//>`;
}

/** @param {{ rows: readonly Row[], hasParts: boolean }} props */
const List = ({ rows, hasParts }) => html`<ul role="list" class="people-lines">${rangesOf(rows).map((one) => html`<li key=${`${one.part}.${one.chapter}.${one.title}`}>
  <span class="muted small">${rangeText(one, hasParts)}</span>
  <span>${one.name ?? t('people.narratorNobody')}${one.by === 'person' && html` <span class="muted small">${t('people.narratorByHand')}</span>`}</span></li>`)}</ul>`;

/** @typedef {{ part: number | null, first: number | null, last: number | null }} Bounds  null: no bound */

/** For which chapters: of a book in parts those of one part, or all. @param {{ known: Props['known'], bounds: Bounds, onChange: (bounds: Bounds) => void }} props */
function Chapters({ known, bounds, onChange }) {
  const parts = [...new Set(known.places.map((one) => one.part))];
  const numbers = known.places.filter((one) => bounds.part === null || one.part === bounds.part).map((one) => one.chapter);
  const { part, first, last } = bounds;
  /** @param {string} label @param {number | null} value @param {string} whole @param {readonly number[]} all @param {(value: number | null) => Bounds} next */
  const field = (label, value, whole, all, next) => html`<label class="field"><span>${label}</span><select value=${value ?? ''}
    onChange=${(/** @type {{ target: HTMLSelectElement }} */ { target }) => onChange(next(target.value === '' ? null : Number(target.value)))}>
    <option value="">${whole}</option>${all.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></label>`;
  return html`<div class="row people-bounds">
    ${known.hasParts && field(t('people.narratorPart'), part, t('people.all'), parts, (value) => ({ part: value, first: null, last: null }))}
    ${(!known.hasParts || part !== null) && html`
      ${field(t('people.narratorFrom'), first, t('people.narratorBeginning'), numbers, (value) => ({ part, first: value, last: last !== null && value !== null && last < value ? null : last }))}
      ${field(t('people.narratorTo'), last, t('people.narratorEnd'), numbers.filter((one) => first === null || one >= first), (value) => ({ part, first, last: value }))}`}
  </div>`;
}
