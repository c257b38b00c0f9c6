// @ts-check
/** The texts of a library: which there are, another one added, one taken away. */
import * as libraries from '../../api/libraries.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { ReceiptList } from './deletion.js';
import { FileButton } from './drop-zone.js';
import { BOOK_TYPES, faultOf } from './files.js';
import { enqueue } from './pending.js';

/** Return the names of texts: a source is a text, or a part of one. @param {readonly string[]} sources */
export const textsOf = (sources) => [...new Set(sources.map((source) => source.replace(/#\d+$/, '')))];

/** @param {{ book: libraries.Library, mostMb: number, onClose: () => void, onChange: () => void }} props */
export function Sources({ book, mostMb, onClose, onChange }) {
  const [left, setLeft] = useState(textsOf(book.sources));
  const [asked, setAsked] = useState(/** @type {string | null} */ (null));
  const [receipt, setReceipt] = useState(/** @type {libraries.Receipt | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [bad, setBad] = useState('');
  /** @param {string} source */
  const remove = async (source) => {
    setAsked(null);
    setError(null);
    try {
      setReceipt(await libraries.removeSource(book.name, source));
      setLeft((before) => before.filter((one) => one !== source));
    } catch (failure) {
      setError(failure);
    }
  };
  const close = () => {
    onClose();
    if (receipt) onChange();
  };
  /** @param {File[]} files @param {string} [replaces]  the text whose newer version they are */
  const add = (files, replaces) => {
    const fault = files.map((file) => ({ file, key: faultOf(file, mostMb) })).find((one) => one.key);
    if (fault?.key) return setBad(t('shelf.ofFile', { name: fault.file.name, reason: t(fault.key, { mb: mostMb }) }));
    close();
    enqueue(files, { into: { name: book.name, title: book.title, replaces } });
  };
  return html`<${Dialog} title=${t('shelf.textsOf', { title: book.title })} onClose=${close}>
    ${error && html`<${ErrorLine} error=${error} />`}
    ${bad && html`<p class="error-line" role="alert"><span>${bad}</span></p>`}
    ${receipt && html`<${ReceiptList} receipt=${receipt} />`}
    <ul class="shelf-sources" role="list">${left.map((source) => html`<li key=${source}><span>${source}</span>
      ${asked === source ? html`<span class="row"><button type="button" class="button danger" onClick=${() => remove(source)}>${t('shelf.reallyRemove')}</button>
        <button type="button" class="button quiet" onClick=${() => setAsked(null)}>${t('parts.cancel')}</button></span>`
        : html`<span class="row"><${FileButton} label=${t('shelf.newerVersion')} types=${BOOK_TYPES} onFiles=${(/** @type {File[]} */ files) => add(files, source)} />
          <button type="button" class="button quiet danger-text" onClick=${() => setAsked(source)}>${t('shelf.removeText')}</button></span>`}</li>`)}</ul>
    <div class="row end"><${FileButton} label=${t('shelf.addText')} types=${BOOK_TYPES} isMultiple onFiles=${add} /></div>
  <//>`;
}
