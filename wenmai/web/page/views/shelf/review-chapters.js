// @ts-check
/** The chapters of a preview, each to rename, to take away, to divide, or to begin a part with. */
import * as libraries from '../../api/libraries.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { Loader, useLoad } from '../../parts/load.js';
import { Menu } from '../../parts/menu.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { asVolume, isCounted, renamed, rowsOf, withChapter, without, withVolume } from './headings.js';
import { formOf } from './review.js';

/** @typedef {import('./headings.js').Row} Row */
/** @typedef {(rows: Row[]) => unknown} Mend */
/** @typedef {{ at: number, what: 'title' | 'part' | 'divide' }} Editing */

const SHOWN = 150; // rows, until all are asked for
const LINE = 44;

/** @param {{ preview: libraries.Preview, file: File, choice: import('./review.js').Choice, onMend: Mend }} props */
export function Chapters({ preview, file, choice, onMend }) {
  const rows = rowsOf(preview);
  const [isWhole, setWhole] = useState(rows.length <= SHOWN);
  const [editing, setEditing] = useState(/** @type {Editing | null} */ (null));
  /** @param {Row[]} next */
  const mend = (next) => {
    setEditing(null);
    onMend(next);
  };
  return html`<ol class="review-rows" role="list" aria-label=${t('shelf.found')}>
      ${(isWhole ? rows : rows.slice(0, SHOWN)).map((row, at) => html`<li key=${at} class=${`review-row is-${row.kind}`}>
        <${Line} row=${row} rows=${rows} at=${at} preview=${preview} onMend=${mend} onEdit=${(/** @type {Editing['what']} */ what) => setEditing({ at, what })} />
        ${editing?.at === at && html`<${Editor} rows=${rows} editing=${editing} file=${file} choice=${choice} onMend=${mend} onClose=${() => setEditing(null)} />`}
      </li>`)}
    </ol>
    ${!isWhole && html`<button type="button" class="button" onClick=${() => setWhole(true)}>${t('shelf.showAll', { n: rows.length })}</button>`}`;
}

/** @param {{ row: Row, rows: Row[], at: number, preview: libraries.Preview, onMend: Mend, onEdit: (what: Editing['what']) => void }} props */
function Line({ row, rows, at, preview, onMend, onEdit }) {
  if (row.kind === 'part') return html`<span class="review-title">${t('shelf.partNumber', { n: row.part })}</span>`;
  const name = row.title || t('shelf.untitled');
  if (row.kind === 'volume') {
    return html`<div class="review-line"><span class="review-title">${name}</span>
      ${!row.isPrinted && html`<span class="review-tools">
        <button type="button" class="icon-button" aria-label=${t('shelf.rename', { title: name })} onClick=${() => onEdit('title')}><${Icon} name="edit" /></button>
        <button type="button" class="icon-button" aria-label=${t('shelf.noPart', { title: name })} onClick=${() => onMend(without(rows, at))}><${Icon} name="trash" /></button>
      </span>`}</div>`;
  }
  const items = [
    { label: t('shelf.divide'), onSelect: () => onEdit('divide') },
    { label: t('shelf.partHere'), onSelect: () => onEdit('part') },
    { label: t('shelf.isPart'), onSelect: () => onMend(asVolume(rows, at)), isDisabled: !row.heading },
  ];
  return html`<div class="review-line">
    <span class="review-number muted">${isCounted(row, preview) ? row.number : ''}</span>
    <span class="review-text"><span class="review-title">${name}</span><span class="muted small">${t('shelf.characters', { n: row.characters })} · ${row.beginning}</span></span>
    <span class="review-tools">
      <button type="button" class="icon-button" aria-label=${t('shelf.rename', { title: name })} disabled=${!row.heading} onClick=${() => onEdit('title')}><${Icon} name="edit" /></button>
      <button type="button" class="icon-button" aria-label=${t('shelf.noHeading', { title: name })} title=${t('shelf.noHeadingHint')} disabled=${!row.heading}
        onClick=${() => onMend(without(rows, at))}><${Icon} name="join" /></button>
      <${Menu} label=${t('shelf.more', { title: name })} items=${items} />
    </span>
  </div>`;
}

/** @param {{ rows: Row[], editing: Editing, file: File, choice: import('./review.js').Choice, onMend: Mend, onClose: () => void }} props */
function Editor({ rows, editing: { at, what }, file, choice, onMend, onClose }) {
  const row = rows[at];
  if (what === 'divide' && row.kind === 'chapter') {
    return html`<${Divide} file=${file} choice=${choice} index=${row.index} onClose=${onClose} onLine=${(/** @type {string} */ line) => onMend(withChapter(rows, at, line))} />`;
  }
  return html`<${Name} label=${t(what === 'part' ? 'shelf.partTitle' : 'shelf.newTitle')} value=${what === 'part' ? '' : row.title} onClose=${onClose}
    onName=${(/** @type {string} */ name) => onMend(what === 'part' ? withVolume(rows, at, name) : renamed(rows, at, name))} />`;
}

/** @param {{ label: string, value: string, onName: (name: string) => void, onClose: () => void }} props */
function Name({ label, value, onName, onClose }) {
  const [name, setName] = useState(value);
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (name.trim()) onName(name.trim());
  };
  return html`<form class="review-editor row" onSubmit=${submit} onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === 'Escape' && onClose()}>
    <label class="field"><span>${label}</span><input type="text" required maxlength="200" value=${name} ref=${focused}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setName(event.target.value)} /></label>
    <button type="submit" class="button">${t('shelf.apply')}</button>
    <button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button>
  </form>`;
}

/** @param {HTMLElement | null} element */
const focused = (element) => element?.focus();

/** The lines of a chapter, to let another begin at one. @param {{ file: File, choice: import('./review.js').Choice, index: number, onLine: (line: string) => void, onClose: () => void }} props */
function Divide({ file, choice, index, onLine, onClose }) {
  const [sought, setSought] = useState('');
  const found = useLoad(async (signal) => (await libraries.preview(formOf(file, choice, index), { signal })).lines ?? [], [index]);
  return html`<div class="review-editor stack">
    <label class="field"><span>${t('shelf.divideHint')}</span><input type="search" value=${sought} ref=${focused}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setSought(event.target.value)} /></label>
    <${Loader} of=${found}>${(/** @type {string[]} */ lines) => html`<div class="review-lines"><${VirtualList} label=${t('shelf.lines')} rowHeight=${LINE}
      items=${lines.map((text, at) => ({ text, at })).filter((one) => one.text.includes(sought.trim()))} keyOf=${(/** @type {{ at: number }} */ one) => String(one.at)}
      row=${(/** @type {{ text: string }} */ { text }) => html`<button type="button" class="review-cut" onClick=${() => onLine(text)}><span>${text}</span></button>`} /></div>`}<//>
    <div class="row end"><button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button></div>
  </div>`;
}
