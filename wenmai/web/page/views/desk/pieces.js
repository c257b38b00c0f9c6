// @ts-check
/** What a call found, piece by piece. */
import { t } from '../../i18n/index.js';
import { html, useContext, useState } from '../../lib.js';
import { Loader, useLoad } from '../../parts/load.js';
import { quoteHref } from '../../parts/addresses.js';
import { InParts, isBeyond, placeName } from './places.js';

/** @typedef {import('../../api/threads.js').EvidencePiece} Piece */
/** @typedef {import('../../store.js').Guard} Guard */

/** @param {{ call: import('./live.js').Call, load: () => Promise<Piece[]>, guard: Guard | null }} props  load: the evidence of the turn */
export function Pieces({ call, load, guard }) {
  const [isOpen, setOpen] = useState(false);
  return html`<button type="button" class="desk-found" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${t('desk.found', { n: call.items })}</button>
    ${isOpen && html`<${Listed} call=${call} load=${load} guard=${guard} />`}`;
}

/** @param {{ call: import('./live.js').Call, load: () => Promise<Piece[]>, guard: Guard | null }} props  load: the evidence of the turn */
function Listed({ call, load, guard }) {
  const known = useLoad(load, [load]);
  return html`<${Loader} of=${known}>${(/** @type {Piece[]} */ all) => {
    const found = (call.evidence ?? []).flatMap((id) => all.find((one) => one.id === id && !isBeyond(one, guard)) ?? []);
    return found.length ? html`<${Rows} pieces=${found} />` : html`<p class="muted">${t('desk.piecesGone')}</p>`;
  }}<//>`;
}

/** Pieces that lead to their place in the book, where they have one. @param {{ pieces: readonly (Pick<Piece, 'id' | 'text' | 'title' | 'source' | 'part' | 'chapter' | 'start' | 'end'> & { library: string, location?: string | null })[] }} props */
export function Rows({ pieces }) {
  const inParts = useContext(InParts);
  return html`<ul role="list" class="desk-pieces">${pieces.map((one) => {
    const inside = html`<span class="desk-piece-text">${one.text}</span><span class="muted small">${placeName(one, inParts)}</span>`;
    const address = quoteHref(one.library, one);
    return html`<li key=${one.id}>${address ? html`<a class="desk-piece-row" href=${address}>${inside}</a>` : html`<div class="desk-piece-row">${inside}</div>`}</li>`;
  })}</ul>`;
}
