// @ts-check
/** What else is decided before a text is taken in: whether it is a newer version of one that is here, and tables of names and relations. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { FileButton } from './drop-zone.js';
import { TABLE_TYPES } from './files.js';
import { textsOf } from './sources.js';

/** @typedef {import('../../api/libraries.js').Library} Library */
/** @typedef {{ library: string, title: string, replaces: string }} Old  a text that is here */

/** @param {Old} old */
export const keyOf = ({ library, replaces }) => `${library} ${replaces}`;

/** A title as it is compared. @param {string} text */
const plain = (text) => text.toLowerCase().replace(/[\s《》“”"'_-]+/g, '');

/**
 * Return the texts of which a file may be a newer version: of the same file name, or in a book of the same title.
 * @param {readonly Library[]} books
 * @param {string} title
 * @param {string} stem
 * @returns {Old[]}
 */
export function oldsOf(books, title, stem) {
  return books.flatMap((book) => textsOf(book.sources).flatMap((replaces) => {
    const isTitled = plain(book.title) === plain(title);
    return isTitled || plain(replaces) === plain(stem) ? [{ library: book.name, title: book.title, replaces }] : [];
  })).sort((one, other) => Number(plain(other.replaces) === plain(stem)) - Number(plain(one.replaces) === plain(stem)));
}

/** @param {{ olds: readonly Old[], into: Old | null, onPick: (key: string) => void }} props */
export function Replacement({ olds, into, onPick }) {
  const choice = (/** @type {string} */ key, /** @type {boolean} */ isOn, /** @type {string} */ label, /** @type {string} */ hint) => html`<label class="review-choice" key=${key}>
    <input type="radio" name="replacement" checked=${isOn} onChange=${() => onPick(key)} /><span>${label} <span class="muted small">${hint}</span></span></label>`;
  return html`<fieldset class="card review-replacement"><legend><${Icon} name="warning" />${t('shelf.sameTitle')}</legend>
    ${olds.map((one) => choice(keyOf(one), one === into, t('shelf.replaceIt', { title: one.title, source: one.replaces }), t('shelf.replaceHint')))}
    ${choice('', into === null, t('shelf.asNew'), t('shelf.asNewHint'))}</fieldset>`;
}

/** @param {{ files: readonly File[], isKept: boolean, onChange: (files: readonly File[]) => void }} props */
export function Tables({ files, isKept, onChange }) {
  const add = (/** @type {readonly File[]} */ more) => onChange([...files.filter((one) => !more.some((other) => other.name === one.name)), ...more]);
  return html`<details class="review-aside" open=${files.length > 0}><summary>${t('shelf.tables', { n: files.length })}</summary>
    <div class="stack"><p class="muted small">${t('shelf.tablesHint')}${isKept && files.length === 0 && html` ${t('shelf.tablesKept')}`}</p>
    ${files.length > 0 && html`<ul role="list" class="shelf-sources">${files.map((one) => html`<li key=${one.name}><span>${one.name}</span>
      <button type="button" class="icon-button" aria-label=${t('shelf.dropTable', { name: one.name })} onClick=${() => onChange(files.filter((other) => other !== one))}><${Icon} name="trash" /></button></li>`)}</ul>`}
    <div><${FileButton} label=${t('shelf.addTable')} types=${TABLE_TYPES} isMultiple onFiles=${add} /></div></div></details>`;
}
