// @ts-check
/** Where a citation is in its document: the text around it, and of a PDF its page as a picture. */
import * as documents from '../../api/documents.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useState } from '../../lib.js';
import { useLoad } from '../../parts/load.js';
import { Loading } from '../../parts/progress.js';

const REACH = 300; // characters on each side

/** @param {{ thread: string, piece: import('../../api/threads.js').EvidencePiece, quote: string }} props */
export function DocumentPlace({ thread, piece, quote }) {
  const { data: place, error } = useLoad((signal) => documents.place(piece.id, thread, signal), [piece.id, thread]);
  if (!place && !error) return html`<${Loading} />`;
  const parts = cutAtQuote(place ?? { text: piece.text, start: 0 }, quote); // a row of a table has no place of its own
  return html`<${Words} key=${piece.id} parts=${parts} />
    ${place?.page && html`<${Page} key=${`${place.document.id} ${place.page}`} thread=${thread} id=${place.document.id} page=${place.page} name=${place.document.filename} />`}`;
}

/** The quoted words, at first with what is next to them. @param {{ parts: string[] }} props */
function Words({ parts: [before, said, after] }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = before.length > REACH || after.length > REACH;
  const near = isWhole || !isLong ? [before, after] : [`…${before.slice(-REACH)}`, `${after.slice(0, REACH)}…`];
  return html`<p class="book-text desk-document-text">${near[0]}<mark class="is-current">${said}</mark>${near[1]}</p>
    ${isLong && !isWhole && html`<button type="button" class="button quiet" onClick=${() => setWhole(true)}>${t('people.readOn')}</button>`}`;
}

/**
 * Cut a text at quoted words, from its piece on where they are there.
 * @param {Pick<documents.Place, 'text' | 'start'>} place  start in code points
 * @param {string} quote
 */
export function cutAtQuote({ text, start }, quote) {
  const from = [...text].slice(0, start).join('').length;
  const near = text.indexOf(quote, from);
  const at = near < 0 ? text.indexOf(quote) : near;
  return at < 0 ? ['', quote, ''] : [text.slice(0, at), quote, text.slice(at + quote.length)];
}

/** A page as a picture; nothing where its file is not kept. @param {{ thread: string, id: string, page: number, name: string }} props */
function Page({ thread, id, page, name }) {
  const { data, error } = useLoad((signal) => documents.picture(id, page, thread, signal), [thread, id, page]);
  const address = useAddress(data);
  if (error) return null;
  return html`<figure class="desk-document-page">${address ? html`<a href=${address} target="_blank" rel="noreferrer"><img src=${address} alt=${t('documents.page', { n: page, name })} /></a>` : html`<${Loading} />`}</figure>`;
}

/** Return an address for what is in memory, as long as it is shown. @param {Blob | null} content */
function useAddress(content) {
  const [address, setAddress] = useState(/** @type {string | null} */ (null));
  useEffect(() => {
    if (!content) return;
    const made = URL.createObjectURL(content);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return address;
}
