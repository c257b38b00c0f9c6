// @ts-check
/** What a preview leaves out: lines that are no headings, and what is no story. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { rowAt, withChapter } from './headings.js';

/** @typedef {import('../../api/libraries.js').Preview} Preview */
/** @typedef {import('../../i18n/index.js').Key} Key */

/** @type {Readonly<Record<string, Key>>} */
const KINDS = {
  front: 'shelf.noteFront', contents: 'shelf.noteContents', end: 'shelf.noteEnd', author: 'shelf.noteAuthor', translator: 'shelf.noteTranslator',
  footnote: 'shelf.noteFootnote', page: 'shelf.notePage', licence: 'shelf.noteLicence', site: 'shelf.noteSite', picture: 'shelf.notePicture',
};

/** @param {string} kind */
export const kindText = (kind) => (KINDS[kind] ? t(KINDS[kind]) : kind);

/** @param {{ preview: Preview, rows: import('./headings.js').Row[], onMend: import('./review-chapters.js').Mend }} props */
export function Asides({ preview, rows, onMend }) {
  return html`<div class="stack">
    ${preview.left_out.length > 0 && html`<details class="review-aside"><summary>${t('shelf.leftOut', { n: preview.left_out.length })}</summary>
      <ul role="list">${preview.left_out.map((one) => html`<li class="review-aside-row"><span><strong>${one.text}</strong>
        <span class="muted small">${place(one.line)}${one.why}</span></span>
        <button type="button" class="button quiet" onClick=${() => onMend(withChapter(rows, rowAt(rows, one.line), one.text))}>${t('shelf.makeChapter')}</button></li>`)}</ul></details>`}
    ${preview.notes.length > 0 && html`<details class="review-aside"><summary>${t('shelf.notes', { n: preview.notes.length })}</summary>
      <ul role="list">${preview.notes.map((one) => html`<li class="review-aside-row"><span><strong>${kindText(one.why)}</strong>
        <span class="muted small">${place(one.line)}${one.text}</span></span></li>`)}</ul></details>`}
  </div>`;
}

/** @param {number} line */
const place = (line) => (line ? `${t('shelf.line', { n: line })} · ` : '');
