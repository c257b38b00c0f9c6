// @ts-check
/** The citation that is open: the book at its words, or the piece that it is. */
import * as stories from '../../api/stories.js';
import * as threads from '../../api/threads.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useLayoutEffect, useRef } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { useShortcuts } from '../../parts/keys.js';
import { Later } from '../../parts/later.js';
import { isEscape } from '../../parts/leaving.js';
import { Loader, useLoad } from '../../parts/load.js';
import { href } from '../../router.js';
import { useGuard } from '../../store.js';
import { quoteHref } from '../../parts/addresses.js';
import { isRemoved } from './documents.js';
import { chapterOf, isBeyond, placeLine } from './places.js';
import { Reader } from './reader.js';

/** @typedef {threads.Citation} Citation */

/**
 * @param {{ library: string | null, thread: string, turn: threads.Turn, n: number, documents: import('./documents.js').Documents, onSelect: (n: number) => void, onClose: () => void }} props
 */
export function Pane({ library, thread, turn, n, documents, onSelect, onClose }) {
  const owner = turn.library ?? library; // '' where no book was asked
  const guard = useGuard(owner);
  const citations = turn.citations ?? [];
  const index = citations.findIndex((one) => one.n === n);
  const citation = citations[index];
  const known = useLoad(async (signal) => {
    const [chapters, evidence] = await Promise.all([
      !owner || library === null ? [] : stories.chapters(owner, { guard, signal }), turn.number ? threads.evidence(thread, turn.number, signal) : []]);
    return { chapters, evidence };
  }, [library, owner, guard, thread, turn.number], guard);
  useShortcuts([
    { keys: '[', label: () => t('desk.previous'), run: () => citations[index - 1] && onSelect(citations[index - 1].n) },
    { keys: ']', label: () => t('desk.next'), run: () => citations[index + 1] && onSelect(citations[index + 1].n) },
  ]);
  const title = useOpened(onClose, `${turn.number} ${n}`);
  const address = citation && !isBeyond(citation, guard) ? quoteHref(owner, citation) : null;
  /** @param {-1 | 1} step @param {'previous' | 'next'} label @param {'left' | 'right'} icon */
  const mover = (step, label, icon) => html`<button type="button" class="icon-button" aria-label=${t(`desk.${label}`)} title=${t(`desk.${label}`)}
    disabled=${!citations[index + step]} onClick=${() => onSelect(citations[index + step].n)}><${Icon} name=${icon} /></button>`;
  return html`<aside class="desk-pane" aria-label=${t('desk.pane')}>
    <header class="desk-pane-head">
      <h2 tabindex=${-1} ref=${title}>${t('desk.citation', { n, total: citations.length })}</h2>
      ${address && html`<a class="icon-button" href=${address} aria-label=${t('read.openHere')} title=${t('read.openHere')}><${Icon} name="read" /></a>`}
      ${mover(-1, 'previous', 'left')}${mover(1, 'next', 'right')}
      <button type="button" class="icon-button" aria-label=${t('desk.closePane')} onClick=${onClose}><${Icon} name="close" /></button>
    </header>
    ${!citation ? html`<p class="desk-note">${t('desk.noCitation')}</p>` : isBeyond(citation, guard) ? html`<p class="desk-note">${t('desk.beyond')}</p>`
      : html`<${Loader} of=${known}>${(/** @type {Known} */ found) => html`<${Opened} library=${owner} thread=${thread} citation=${citation} others=${citations} known=${found} documents=${documents} />`}<//>`}
  </aside>`;
}

/** @typedef {{ chapters: stories.ChapterPlace[], evidence: threads.EvidencePiece[] }} Known */

/** @param {{ library: string | null, thread: string, citation: Citation, others: Citation[], known: Known, documents: import('./documents.js').Documents }} props */
function Opened({ library, thread, citation, others, known: { chapters, evidence }, documents }) {
  const at = chapterOf(chapters, citation);
  const piece = evidence.find((one) => one.id === citation.evidence) ?? null;
  const isGone = piece?.kind === 'document' && isRemoved(documents, citation.source);
  return at < 0 ? html`<${Piece} thread=${thread} citation=${citation} piece=${piece} isRemoved=${isGone} />`
    : html`<${Reader} library=${library} chapters=${chapters} at=${at} citation=${citation} others=${others} kind=${piece?.kind ?? 'passage'} />`;
}

/** Whether a piece is a value or a relation of a network's row. @param {threads.EvidencePiece | null} piece */
const isOfNetwork = (piece) => Boolean(piece?.library && piece.source && piece.location?.startsWith(`${piece.library} / `));

const loadRow = () => import('../shelf/network-row.js').then((module) => module.CitedRow);

/** A row of a network, and the value that is cited. @param {{ citation: Citation, piece: threads.EvidencePiece }} props */
function NetworkPiece({ citation, piece }) {
  const linkOf = (/** @type {{ type: string, id: string }} */ row) => href('shelf', { rest: ['networks', piece.library], query: { type: row.type, row: row.id, of: row.type } });
  return html`<div class="desk-piece"><span class="desk-kind">${t('desk.kind_property')}</span>
    <p class="book-text"><mark class="is-current">${citation.quote}</mark></p>
    <${Later} key=${piece.source} load=${loadRow} network=${piece.library} id=${piece.source} linkOf=${linkOf} /></div>`;
}

const loadPlace = () => import('./document-place.js').then((module) => module.DocumentPlace);

/** A document, a memory. @param {{ thread: string, citation: Citation, piece: threads.EvidencePiece | null, isRemoved: boolean }} props */
function Piece({ thread, citation, piece, isRemoved }) {
  if (piece && isOfNetwork(piece)) return html`<${NetworkPiece} citation=${citation} piece=${piece} />`;
  const place = placeLine([citation.title, citation.source, citation.location]);
  const [before, after] = piece?.text.includes(citation.quote) ? cutAround(piece.text, citation.quote) : ['', ''];
  return html`<div class="desk-piece">
    ${piece && html`<span class="desk-kind">${t(`desk.kind_${piece.kind}`)}</span>`}
    ${isRemoved && html`<p class="desk-note">${t('desk.fromRemoved')}</p>`}
    ${place && html`<h3>${place}</h3>`}
    ${piece?.kind === 'document' && !isRemoved ? html`<${Later} key=${piece.id} load=${loadPlace} thread=${thread} piece=${piece} quote=${citation.quote} />`
      : html`<p class="book-text">${before}<mark class="is-current">${citation.quote}</mark>${after}</p>`}
  </div>`;
}

/** @param {string} text @param {string} quote */
const cutAround = (text, quote) => [text.slice(0, text.indexOf(quote)), text.slice(text.indexOf(quote) + quote.length)];

/**
 * The focus goes into the pane when it opens and back to the mark when it closes; Escape closes it.
 * @param {() => void} onClose
 * @param {string} key
 */
function useOpened(onClose, key) {
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const opener = document.activeElement;
    title.current?.focus({ preventScroll: true });
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const onKeyDown = (event) => isEscape(event) && onClose();
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [onClose, key]);
  return title;
}
