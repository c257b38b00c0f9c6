// @ts-check
/** Everybody as a table that sorts and filters; of a long one only the rows in view are drawn. */
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Empty } from '../../parts/empty.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { firstOf, steps } from './counts.js';
import { matching } from './person-search.js';
import { Sparkline } from './sparkline.js';
import { kindText, placeOf } from './words.js';

/** @typedef {import('../../api/stories.js').Entity} Entity */
/** @typedef {import('./data.js').Known} Known */
/** @typedef {'mentions' | 'name' | 'first' | 'ties'} Order */

const ROW = 56;
const ORDERS = /** @type {Order[]} */ (['mentions', 'name', 'first', 'ties']);

/** @param {{ part: number, chapter: number } | { part: null, chapter: null }} place */
const numberOf = ({ part, chapter }) => (chapter === null ? Infinity : part * 1e6 + chapter);

/**
 * Return the entities in an order.
 * @param {readonly Entity[]} entities
 * @param {Order} order
 * @param {Pick<Known, 'degrees' | 'counts'>} known
 */
export function sorted(entities, order, { degrees: ties, counts }) {
  const firsts = new Map(entities.map(({ name }) => [name, numberOf(firstOf(counts.get(name) ?? []))]));
  const first = (/** @type {Entity} */ one) => firsts.get(one.name) ?? Infinity;
  const by = {
    mentions: (/** @type {Entity} */ one, /** @type {Entity} */ other) => other.mentions - one.mentions,
    name: (/** @type {Entity} */ one, /** @type {Entity} */ other) => one.name.localeCompare(other.name),
    first: (/** @type {Entity} */ one, /** @type {Entity} */ other) => (first(one) === first(other) ? 0 : first(one) - first(other)),
    ties: (/** @type {Entity} */ one, /** @type {Entity} */ other) => (ties.get(other.name) ?? 0) - (ties.get(one.name) ?? 0),
  };
  return [...entities].sort(by[order]);
}

/** @param {{ known: Known, hidden: ReadonlySet<string>, linkOf: (name: string) => string, selected: string | null }} props */
export function People({ known, hidden, linkOf, selected }) {
  const [text, setText] = useState('');
  const [kind, setKind] = useState('Character');
  const [order, setOrder] = useState(/** @type {Order} */ ('mentions'));
  const kinds = [...new Set(known.entities.map((one) => one.kind))];
  const wanted = kinds.includes(kind) ? kind : '';
  const left = known.entities.filter((one) => (wanted === '' || one.kind === wanted) && !hidden.has(one.name));
  const rows = matching(sorted(left, order, known), text);
  return html`<div class="stack">
    <div class="row people-tools">
      <label class="field"><span>${t('people.find')}</span><input type="search" value=${text} onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setText(event.target.value)} /></label>
      <label class="field"><span>${t('people.kind')}</span><select value=${wanted} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => setKind(event.target.value || 'all')}>
        <option value="">${t('people.all')}</option>${kinds.map((one) => html`<option value=${one}>${kindText(one)}</option>`)}</select></label>
      <label class="field"><span>${t('people.order')}</span><select value=${order} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => setOrder(/** @type {Order} */ (event.target.value))}>
        ${ORDERS.map((one) => html`<option value=${one}>${t(`people.order_${one}`)}</option>`)}</select></label>
      <span class="muted small people-count" role="status">${t('people.found', { n: rows.length })}</span>
    </div>
    ${rows.length === 0 ? html`<${Empty} title=${t('people.nobody')} />` : html`<${VirtualList} items=${rows} rowHeight=${ROW} label=${t('people.title')}
      keyOf=${(/** @type {Entity} */ one) => one.name} row=${(/** @type {Entity} */ one) => html`<${Row} one=${one} known=${known} link=${linkOf(one.name)} isSelected=${one.name === selected} />`} />`}
  </div>`;
}

/** @param {{ one: Entity, known: Known, link: string, isSelected: boolean }} props */
function Row({ one, known, link, isSelected }) {
  return html`<div class="people-row">
    <span class="people-names"><a class="people-name" href=${link} aria-current=${isSelected ? 'true' : undefined}>${one.name}</a>
      <span class="muted small people-aliases">${one.aliases.join(t('people.comma'))}</span></span>
    <span class="muted small people-first">${placeOf(firstOf(known.counts.get(one.name) ?? []), known.hasParts)}</span>
    <${Sparkline} values=${steps(known.places, known.counts.get(one.name) ?? [])} />
    <span class="small people-mentions">${t('people.mentions', { n: one.mentions })}</span>
    <span class="muted small people-ties">${t('people.ties', { n: known.degrees.get(one.name) ?? 0 })}</span>
  </div>`;
}
