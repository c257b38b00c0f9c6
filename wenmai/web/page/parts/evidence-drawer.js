// @ts-check
/** What the text says for a relation or an event: its words in their chapter, beside the page. */
import * as stories from '../api/stories.js';
import { t } from '../i18n/index.js';
import { html, useState } from '../lib.js';
import { useGuard } from '../store.js';
import { quoteHref } from './addresses.js';
import { Dialog } from './dialog.js';
import { Loader, useLoad } from './load.js';

const REACHES = [120, 600, 3000]; // characters on each side

/** @typedef {{ id: string, label: string, place: string, quote: string, note?: string }} Piece */

/** Without empty lines between paragraphs. @param {string} text */
const closer = (text) => text.replace(/\n\s*\n/g, '\n');

/**
 * Passages one below the other, the first one open.
 * @param {{ library: string, title: string, pieces: Piece[], onClose: () => void }} props
 */
export function EvidenceDrawer({ library, title, pieces, onClose }) {
  return html`<${Dialog} title=${title} wide onClose=${onClose}>
    <div class="evidence stack">
      <p class="muted small">${t('people.passages', { n: pieces.length })}</p>
      ${pieces.map((one, index) => html`<${Folded} key=${one.id} library=${library} piece=${one} isFirst=${index === 0} />`)}
    </div>
  <//>`;
}

/** @param {{ library: string, piece: Piece, isFirst: boolean }} props */
function Folded({ library, piece, isFirst }) {
  const [isOpen, setOpen] = useState(isFirst);
  return html`<details class="evidence-piece" open=${isOpen} onToggle=${(/** @type {{ target: HTMLDetailsElement }} */ event) => setOpen(event.target.open)}>
    <summary><span class="evidence-label">${piece.label}</span><span class="muted small">${piece.place}</span>
      ${!isOpen && html`<span class="evidence-teaser">${piece.quote}</span>`}</summary>
    ${piece.note && html`<p class="small">${piece.note}</p>`}
    ${isOpen && html`<${InContext} library=${library} piece=${piece} />`}
  </details>`;
}

/** @param {{ library: string, piece: Piece }} props */
function InContext({ library, piece }) {
  const guard = useGuard(library);
  const [reach, setReach] = useState(0);
  const found = useLoad((signal) => stories.evidence(library, piece.id, { guard, signal, query: { context: REACHES[reach] } }), [library, piece.id, guard, reach], guard);
  return html`<${Loader} of=${found}>${(/** @type {stories.Evidence} */ one) => {
    const address = one.quote ? quoteHref(library, one) : null;
    return html`${one.title && html`<h3 class="evidence-title">${one.title}</h3>`}
    <blockquote class="evidence-text">${one.quote ? html`${[...one.before].length >= REACHES[reach] && '…'}${closer(one.before)}<mark>${one.quote}</mark>${closer(one.after)}${[...one.after].length >= REACHES[reach] && '…'}`
      : html`<mark>${piece.quote || one.text}</mark>`}</blockquote>
    ${!one.quote && html`<p class="muted small">${t('people.noPassage')}</p>`}
    ${address && html`<a class="button quiet" href=${address}>${t('read.openHere')}</a>`}
    ${one.quote && reach < REACHES.length - 1 && html`<button type="button" class="button quiet" onClick=${() => setReach(reach + 1)}>${t('people.readOn')}</button>`}`;
  }}<//>`;
}
