// @ts-check
/** The deletion of a library: what goes, what went, and what stays unless it is asked for too. */
import * as libraries from '../../api/libraries.js';
import * as threads from '../../api/threads.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { dismiss, imports } from './imports.js';

/** @typedef {import('../../i18n/index.js').Key} Key */
/** @type {readonly (readonly [keyof libraries.Receipt, Key])[]} */
const KINDS = [
  ['chapters', 'shelf.chapters'], ['passages', 'shelf.passages'], ['entities', 'shelf.people'],
  ['relations', 'shelf.relations'], ['events', 'shelf.events'], ['answers', 'shelf.answers'],
];

/** @param {{ book: libraries.Library, talks: threads.Thread[], onClose: () => void, onChange: () => void }} props */
export function Deletion({ book, talks, onClose, onChange }) {
  const [receipt, setReceipt] = useState(/** @type {libraries.Receipt | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [isBusy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      setReceipt(await libraries.remove(book.name));
      for (const one of imports.value) if (one.library === book.name) dismiss(one.id);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const close = () => {
    onClose();
    if (receipt) onChange();
  };
  return html`<${Dialog} title=${t(receipt ? 'shelf.deleted' : 'shelf.deleteTitle', { title: book.title })} onClose=${close}>
    ${error && html`<${ErrorLine} error=${error} />`}
    ${receipt ? html`<${ReceiptList} receipt=${receipt} /><${Rest} talks=${talks} />`
      : html`<p>${t('shelf.deleteText', { chapters: book.chapters, passages: book.passages })}</p>`}
    <div class="row end">${receipt ? html`<button type="button" class="button primary" onClick=${close}>${t('parts.close')}</button>` : html`
      <button type="button" class="button quiet" onClick=${close}>${t('parts.cancel')}</button>
      <button type="button" class="button danger" disabled=${isBusy} onClick=${remove}>${t('shelf.delete')}</button>`}</div>
  <//>`;
}

/** @param {{ receipt: libraries.Receipt }} props */
export const ReceiptList = ({ receipt }) => html`<div role="status"><p>${t('shelf.removed')}</p>
  <ul class="shelf-figures" role="list">${KINDS.filter(([kind]) => receipt[kind]).map(([kind, key]) => html`<li>${t(key, { n: Number(receipt[kind]) })}</li>`)}</ul></div>`;

/** What a deletion leaves: threads, which can go too, and traces. @param {{ talks: threads.Thread[] }} props */
function Rest({ talks }) {
  const [left, setLeft] = useState(talks);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const removeAll = async () => {
    try {
      for (const one of talks) {
        await threads.remove(one.id);
        setLeft((before) => before.filter((other) => other.id !== one.id));
      }
    } catch (failure) {
      setError(failure);
    }
  };
  return html`${error && html`<${ErrorLine} error=${error} />`}
    ${talks.length > 0 && left.length === 0 && html`<p role="status">${t('shelf.talksGone', { n: talks.length })}</p>`}
    ${left.length > 0 && html`<p>${t('shelf.talksStay', { n: left.length })}</p>
      <p><button type="button" class="button" onClick=${removeAll}>${t('shelf.talksToo')}</button></p>`}
    <p class="muted small">${t('shelf.tracesStay')}</p>`;
}
