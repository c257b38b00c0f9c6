// @ts-check
/** A network: its rows by type, searched and sorted, and one row with what it is tied to. */
import * as server from '../../api/server.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Empty } from '../../parts/empty.js';
import { Icon } from '../../parts/icon.js';
import { Loader, useLoad } from '../../parts/load.js';
import { Tabs } from '../../parts/tabs.js';
import { go, href } from '../../router.js';
import { labelOf, RowCard, valueText } from './network-row.js';

const ROWS = 200, COLUMNS = 6;

/** @typedef {import('../../api/http.js').Schemas['SchemaView']} Schema */
/** @typedef {Schema['object_types'][number]} Type */
/** @typedef {Record<string, string | undefined>} Query */

/** @param {{ network: string, query: Record<string, string> }} props */
export function NetworkRows({ network, query }) {
  const schema = useLoad((signal) => server.network(network, signal), [network]);
  return html`<header class="network-head row"><h1>${schema.data?.name || network}</h1>
      <div class="row"><a class="button quiet" href=${href('shelf')}><${Icon} name="left" />${t('shell.shelf')}</a><a class="button" href=${href('desk')}>${t('shelf.networksAsk')}</a></div></header>
    <${Loader} of=${schema}>${(/** @type {Schema} */ found) => html`<${Content} network=${network} schema=${found} query=${query} />`}<//>`;
}

/** @param {{ network: string, schema: Schema, query: Record<string, string> }} props */
function Content({ network, schema, query }) {
  const type = schema.object_types.find((one) => one.id === query.type) ?? schema.object_types[0];
  const to = (/** @type {Query} */ more) => href('shelf', { rest: ['networks', network], query: { ...query, ...more } });
  const linkOf = (/** @type {server.NetworkRow} */ row) => to({ row: row.id, of: row.type });
  const tabs = schema.object_types.map((one) => ({ id: one.id, label: one.name }));
  return html`<div class=${query.row ? 'people has-card' : 'people'}>
    <${Tabs} label=${t('shelf.networkTypes')} tabs=${tabs} selected=${type.id} onSelect=${(/** @type {string} */ id) => go(to({ type: id, sort: undefined, desc: undefined }), { replace: true })}>
      <${Rows} key=${type.id} network=${network} type=${type} query=${query} to=${to} linkOf=${linkOf} /><//>
    ${query.row && html`<${RowCard} key=${`${query.of} ${query.row}`} network=${network} id=${query.row} type=${query.of} schema=${schema} linkOf=${linkOf}
      onClose=${() => go(to({ row: undefined, of: undefined }))} />`}
  </div>`;
}

/** @param {{ network: string, type: Type, query: Record<string, string>, to: (more: Query) => string, linkOf: (row: server.NetworkRow) => string }} props */
function Rows({ network, type, query, to, linkOf }) {
  const [text, setText] = useState(query.q ?? '');
  const [most, setMost] = useState(ROWS);
  const { q, sort, desc } = query;
  const isSorted = type.properties.some((one) => one.name === sort);
  const found = useLoad((signal) => server.networkRows(network, type.id, { q: q || undefined, sort: isSorted ? sort : undefined, descending: desc === '1', limit: most }, signal), [network, type.id, q, sort, desc, most]);
  /** @param {Event} event */
  const search = (event) => {
    event.preventDefault();
    go(to({ q: text.trim() || undefined }), { replace: true });
  };
  return html`<div class="stack">
    <form class="row network-tools" role="search" onSubmit=${search}><label class="field"><span>${t('shelf.networkSearch', { type: type.name })}</span>
      <input type="search" value=${text} onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setText(event.target.value)} onChange=${search} /></label>
      <button type="submit" class="button"><${Icon} name="search" />${t('shelf.networkFind')}</button></form>
    <${Loader} of=${found}>${(/** @type {import('../../api/http.js').Page<server.NetworkRow>} */ page) => (page.items.length === 0 ? html`<${Empty} title=${t('shelf.networkNoRows')} />`
      : html`<p class="muted small" role="status">${t('shelf.networkRows', { n: page.items.length, of: page.total })}</p>
        <${Table} type=${type} rows=${page.items} query=${query} to=${to} linkOf=${linkOf} />
        ${page.items.length < page.total && most < MOST && html`<button type="button" class="button" onClick=${() => setMost(Math.min(MOST, most + ROWS))}>${t('shelf.networkMore')}</button>`}`)}<//>
  </div>`;
}

const MOST = 500;

/**
 * Return the columns beside the name: those that say more than it and the id, which stands for a name that is missing.
 * @param {Type} type
 * @param {readonly Pick<server.NetworkRow, 'id' | 'name' | 'properties'>[]} rows
 */
export const columnsOf = (type, rows) => type.properties.filter(({ name }) => {
  const held = rows.filter((row) => row.properties[name] !== undefined);
  return held.some((row) => valueText(row.properties[name]) !== row.name) && held.some((row) => valueText(row.properties[name]) !== row.id);
});

/** @param {{ type: Type, rows: server.NetworkRow[], query: Record<string, string>, to: (more: Query) => string, linkOf: (row: server.NetworkRow) => string }} props */
function Table({ type, rows, query, to, linkOf }) {
  const columns = columnsOf(type, rows).slice(0, COLUMNS);
  const nameColumn = type.properties.find((one) => rows.every((row) => valueText(row.properties[one.name]) === row.name));
  const head = (/** @type {Type['properties'][number] | undefined} */ one, /** @type {string} */ label) => {
    const isOn = one !== undefined && query.sort === one.name;
    const order = !isOn ? 'none' : query.desc === '1' ? 'descending' : 'ascending';
    return html`<th scope="col" aria-sort=${order}>${one === undefined ? label : html`<button type="button" class="network-sort" onClick=${() => go(to({ sort: one.name, desc: order === 'ascending' ? '1' : undefined }), { replace: true })}>${label}
      <span aria-hidden="true">${order === 'none' ? '' : order === 'ascending' ? '↑' : '↓'}</span></button>`}</th>`;
  };
  return html`<div class="network-table" tabindex=${0} role="region" aria-label=${type.name}><table><thead><tr>${head(nameColumn, nameColumn ? labelOf(type, nameColumn.name) : type.name)}${columns.map((one) => head(one, labelOf(type, one.name)))}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row.id}><th scope="row"><a href=${linkOf(row)} title=${row.id === row.name ? undefined : row.id} aria-current=${query.row === row.id && query.of === row.type ? 'true' : undefined}>${row.name}</a></th>
      ${columns.map((one) => html`<td title=${row.ends[one.name] && valueText(row.properties[one.name])}>${row.ends[one.name] ?? valueText(row.properties[one.name])}</td>`)}</tr>`)}</tbody></table></div>`;
}
