// @ts-check
/** One row of a network: what it holds, what it is tied to, and a picture of that. */
import * as server from '../../api/server.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useMemo, useRef, useState } from '../../lib.js';
import { Later } from '../../parts/later.js';
import { Loader, useLoad } from '../../parts/load.js';
import { SideCard } from '../../parts/side-card.js';
import { go } from '../../router.js';

const MOST_TIES = 60;

/** @typedef {import('../../api/http.js').Schemas['SchemaView']} Schema */
/** @typedef {Schema['object_types'][number]} Type */
/** @typedef {server.NetworkRow} Row */
/** @typedef {(row: Row) => string} LinkOf */

/** A value as a person reads it. @param {unknown} value @returns {string} */
export const valueText = (value) => (value === undefined || value === null ? '' : Array.isArray(value) ? value.map(valueText).join(t('people.comma')) : typeof value === 'boolean' ? t(value ? 'shelf.yes' : 'shelf.no') : String(value));

/** @param {Type | undefined} type @param {string} name */
export const labelOf = (type, name) => type?.properties.find((one) => one.name === name)?.display_name || name;

/** Beside the rows. @param {{ network: string, id: string, type?: string, schema: Schema, linkOf: LinkOf, onClose: () => void }} props */
export function RowCard({ network, id, type, schema, linkOf, onClose }) {
  const found = useLoad((signal) => server.networkRow(network, { id, type }, signal), [network, id, type]);
  return html`<${SideCard} title=${found.data?.instance.name ?? '…'} onClose=${onClose}>
    <${Loader} of=${found}>${(/** @type {server.SeenRow} */ seen) => html`<${RowFacts} seen=${seen} schema=${schema} linkOf=${linkOf} />`}<//>
  <//>`;
}

/** A row that an answer cites. @param {{ network: string, id: string, linkOf: LinkOf }} props */
export function CitedRow({ network, id, linkOf }) {
  const found = useLoad(async (signal) => {
    const [schema, seen] = await Promise.all([server.network(network, signal), server.networkRow(network, { id }, signal)]);
    return { schema, seen };
  }, [network, id]);
  return html`<${Loader} of=${found}>${(/** @type {{ schema: Schema, seen: server.SeenRow }} */ { schema, seen }) => html`<div class="stack network-cited">
    <h3><a href=${linkOf(seen.instance)}>${seen.instance.name}</a></h3><${RowFacts} seen=${seen} schema=${schema} linkOf=${linkOf} /></div>`}<//>`;
}

/** @param {{ seen: server.SeenRow, schema: Schema, linkOf: LinkOf }} props */
function RowFacts({ seen: { instance, neighbours }, schema, linkOf }) {
  const [isDrawn, setDrawn] = useState(false);
  const type = schema.object_types.find((one) => one.id === instance.type);
  const held = (type?.properties ?? []).filter((one) => instance.properties[one.name] !== undefined && instance.properties[one.name] !== '');
  return html`<p class="muted small">${type?.name ?? instance.type}</p>
    <dl class="people-facts">${held.map((one) => html`<div key=${one.name}><dt>${labelOf(type, one.name)}</dt><dd title=${instance.ends[one.name] && valueText(instance.properties[one.name])}>${instance.ends[one.name] ?? valueText(instance.properties[one.name])}</dd></div>`)}</dl>
    ${tiesOf(neighbours).map(({ name, direction, rows }) => html`<section key=${`${name} ${direction}`}><h3>${direction === 'incoming' ? html`<span aria-hidden="true">← </span>` : ''}${name}${direction === 'outgoing' ? html`<span aria-hidden="true"> →</span>` : ''} <span class="muted">${rows.length}</span></h3>
      <ul role="list" class="people-lines">${rows.slice(0, MOST_TIES).map((row) => html`<li key=${`${row.type} ${row.id}`}><a href=${linkOf(row)}>${row.name}</a>
        <span class="muted small">${schema.object_types.find((one) => one.id === row.type)?.name ?? ''}</span></li>`)}</ul></section>`)}
    ${neighbours.length > 0 && html`<button type="button" class="button" aria-expanded=${isDrawn} onClick=${() => setDrawn(!isDrawn)}>${t('shelf.networkDraw')}</button>`}
    ${isDrawn && html`<${Neighbourhood} instance=${instance} neighbours=${neighbours} schema=${schema} linkOf=${linkOf} />`}`;
}

/**
 * Return the ties of a row by relation and direction.
 * @param {server.SeenRow['neighbours']} neighbours
 */
export function tiesOf(neighbours) {
  /** @type {Map<string, { name: string, direction: string, rows: Row[] }>} */
  const found = new Map();
  for (const { relation, direction, instance } of neighbours) {
    const key = `${direction} ${relation}`;
    const group = found.get(key) ?? { name: relation, direction, rows: [] };
    group.rows.push(instance);
    found.set(key, group);
  }
  return [...found.values()];
}

const KINDS = ['Character', 'Location', 'Organization', 'Event', 'Object']; // shapes and colours, one for each type
const loadPicture = () => import('../people/picture.js').then((module) => module.Picture);

/** @param {Row} row */
const idOf = (row) => JSON.stringify([row.type, row.id]);

/**
 * Return what a picture of a row and its neighbours draws.
 * @param {Row} instance
 * @param {server.SeenRow['neighbours']} neighbours
 * @param {readonly string[]} types  ids, in their order
 * @returns {import('../people/pairs.js').Cast}
 */
export function castOf(instance, neighbours, types) {
  const kindOf = (/** @type {Row} */ row) => KINDS[types.indexOf(row.type) % KINDS.length] ?? 'Other';
  const rows = new Map([instance, ...neighbours.map((one) => one.instance)].map((row) => [idOf(row), row]));
  /** @type {Map<string, import('../people/pairs.js').Pair>} */
  const pairs = new Map();
  for (const { relation, direction, instance: other } of neighbours) {
    const [source, target] = direction === 'outgoing' ? [idOf(instance), idOf(other)] : [idOf(other), idOf(instance)];
    if (source === target) continue;
    const id = `${source} ${target}`;
    const known = pairs.get(id);
    pairs.set(id, { id, source, target, types: [...new Set([...(known?.types ?? []), relation])], isDirected: true, relations: known?.relations ?? [] });
  }
  const nodes = [...rows].map(([id, row]) => ({ name: id, label: row.name, kind: kindOf(row), degree: id === idOf(instance) ? rows.size - 1 : 1 }));
  return { nodes, pairs: [...pairs.values()], known: nodes.length };
}

/** @param {{ instance: Row, neighbours: server.SeenRow['neighbours'], schema: Schema, linkOf: LinkOf }} props */
function Neighbourhood({ instance, neighbours, schema, linkOf }) {
  const cast = useMemo(() => castOf(instance, neighbours, schema.object_types.map((one) => one.id)), [instance, neighbours]);
  const open = (/** @type {string} */ id) => {
    const row = [instance, ...neighbours.map((one) => one.instance)].find((one) => idOf(one) === id);
    if (row) go(linkOf(row));
  };
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  return html`<div class="network-picture" ref=${box}><${Later} load=${loadPicture} cast=${cast} selected=${idOf(instance)} onNode=${open} onPair=${() => {}} onNothing=${() => {}} name=${instance.name} /></div>`;
}
