// @ts-check
/** The picture as a list: who is tied to whom, for the keyboard, screen readers and small windows. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Empty } from '../../parts/empty.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { edgeText } from './words.js';

const ROW = 52;

/** @param {{ pairs: readonly import('./pairs.js').Pair[], onPair: (id: string) => void }} props */
export function Ties({ pairs, onPair }) {
  const row = (/** @type {import('./pairs.js').Pair} */ pair) => html`<button type="button" class="people-tie" onClick=${() => onPair(pair.id)}>
    <strong>${pair.source}</strong><span class="people-tie-what">${edgeText(pair)}${pair.isDirected && html`<span aria-hidden="true"> →</span>`}</span><strong>${pair.target}</strong>
    <span class="muted small people-tie-count">${t('people.passages', { n: pair.relations.length })}</span></button>`;
  if (pairs.length === 0) return html`<${Empty} title=${t('people.noTies')} hint=${t('people.noTiesHint')} />`;
  return html`<${VirtualList} items=${pairs} rowHeight=${ROW} label=${t('people.list')} keyOf=${(/** @type {import('./pairs.js').Pair} */ one) => one.id} row=${row} />`;
}
