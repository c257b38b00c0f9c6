// @ts-check
/** A look at the types and relations that files give, to accept or to mend, before they become a network. */
import * as server from '../../api/server.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { useLook } from './look.js';
import { labelOf } from './network-row.js';

/** @typedef {import('../../api/http.js').Schemas['NetworkPreview']} Preview */
/** @typedef {Preview['object_types'][number]} Type */
/** @typedef {Preview['relation_types'][number]} Relation */
/** @typedef {{ source: string, column: string, target: string }} Joined */
/** @typedef {{ name?: string, keys: Record<string, string[]>, relations: Record<string, string | null>, added: Joined[], types: Record<string, string>,
 *   labels: Record<string, Record<string, string>>, names: Record<string, string> }} Mending */

/** @type {Mending} */
const NOTHING = { keys: {}, relations: {}, added: [], types: {}, labels: {}, names: {} };

/** @param {readonly File[]} files @param {Mending} mending @param {string} [name] */
export function formOf(files, mending, name = '') {
  const form = new FormData();
  for (const file of files) form.append('file', file, file.name);
  form.set('mending', JSON.stringify({ ...mending, name }));
  return form;
}

/** Let a relation go to another type, or be none. @param {Mending} mending @param {Relation} one @param {string | null} target @returns {Mending} */
export function turned(mending, one, target) {
  const isIt = (/** @type {Joined} */ other) => other.source === one.source && other.column === one.column;
  if (!mending.added.some(isIt)) return { ...mending, relations: { ...mending.relations, [one.id]: target } };
  const others = mending.added.filter((other) => !isIt(other));
  if (target !== null) return { ...mending, added: [...others, { source: one.source, column: one.column, target }] };
  const { [one.id]: _, ...names } = mending.names; // the server knows no relation of this name any more
  return { ...mending, added: others, names };
}

/** @param {string} id @param {readonly File[]} files */
export const usePreview = (id, files) =>
  useLook(NOTHING, (mending, { signal }) => server.previewNetwork(id, formOf(files, mending), { signal }), files.length > 0);

/** @param {{ of: ReturnType<typeof usePreview>, preview: Preview }} props */
export function Mending({ of: { now, mend, undo, isMended, isBusy }, preview }) {
  const { object_types: types, relation_types: relations } = preview;
  /** @param {Type} type @param {string} value */
  const rekey = (type, value) => mend({ ...now, keys: { ...now.keys, [type.id]: value.split(',') } });
  return html`<div class="stack" aria-busy=${isBusy}>
    <fieldset class="network-types"><legend>${t('shelf.networkTypes')}</legend>${types.map((type) => html`<div class="network-row" key=${type.id}>
      <span><strong>${type.name}</strong> <span class="muted small">${t('shelf.instances', { n: preview.instances[type.id] ?? 0 })}</span></span>
      <label class="network-choice"><span class="muted small">${t('shelf.networkKey')}</span>
        <select aria-label=${t('shelf.networkKeyOf', { type: type.name })} value=${keyOf(type)} disabled=${isBusy} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => rekey(type, event.target.value)}>
          ${keysOf(type).map((key) => html`<option value=${key}>${key.split(',').map((name) => labelOf(type, name)).join(' + ')}</option>`)}</select></label>
      <${Labels} type=${type} isBusy=${isBusy} onType=${(/** @type {string} */ name) => mend({ ...now, types: { ...now.types, [type.id]: name } })}
        onLabel=${(/** @type {string} */ name, /** @type {string} */ label) => mend({ ...now, labels: { ...now.labels, [type.id]: { ...now.labels[type.id], [name]: label } } })} /></div>`)}</fieldset>
    <fieldset class="network-types"><legend>${t('shelf.networkRelations')}</legend>
      ${relations.length === 0 && html`<p class="muted small">${t('shelf.networkNoRelation')}</p>`}
      ${relations.map((one) => html`<${Row} key=${one.id} one=${one} types=${types} isBusy=${isBusy} onTarget=${(/** @type {string | null} */ target) => mend(turned(now, one, target))}
        onName=${(/** @type {string} */ name) => mend({ ...now, names: { ...now.names, [one.id]: name } })} />`)}
      <${Adding} types=${types} isBusy=${isBusy} onAdd=${(/** @type {Joined} */ one) => mend({ ...now, added: [...now.added, one] })} /></fieldset>
    ${isMended && html`<div><button type="button" class="button quiet" disabled=${isBusy} onClick=${undo}>${t('parts.undo')}</button></div>`}
  </div>`;
}

/** @param {Type} type */
const keyOf = (type) => type.properties.filter((one) => one.is_key).map((one) => one.name).join(',');

/** What can be the key: what is it now, and every property. @param {Type} type */
const keysOf = (type) => [...new Set([keyOf(type), ...type.properties.map((one) => one.name)])].filter(Boolean);

/** A name that is typed and kept when the field is left. @param {{ label: string, value: string, isBusy: boolean, onChange: (value: string) => void }} props */
const NameField = ({ label, value, isBusy, onChange }) => html`<input type="text" maxlength="200" aria-label=${label} value=${value} readonly=${isBusy}
  onChange=${(/** @type {{ target: HTMLInputElement }} */ { target }) => target.value.trim() && target.value.trim() !== value && onChange(target.value.trim())} />`;

/** What a type and its columns are called. @param {{ type: Type, isBusy: boolean, onType: (name: string) => void, onLabel: (name: string, label: string) => void }} props */
const Labels = ({ type, isBusy, onType, onLabel }) => html`<details class="network-labels"><summary class="small">${t('shelf.networkLabels', { n: type.properties.length })}</summary>
  <dl><div><dt class="muted small">${t('shelf.networkType')}</dt><dd><${NameField} label=${t('shelf.networkTypeName', { type: type.name })} value=${type.name} isBusy=${isBusy} onChange=${onType} /></dd></div>
  ${type.properties.map((one) => html`<div key=${one.name}><dt class="muted small">${one.name}</dt><dd><${NameField} label=${t('shelf.networkLabelOf', { column: one.name, type: type.name })} value=${one.display_name || one.name} isBusy=${isBusy}
    onChange=${(/** @type {string} */ label) => onLabel(one.name, label)} /></dd></div>`)}</dl></details>`;

/** @param {{ one: Relation, types: Type[], isBusy: boolean, onTarget: (target: string | null) => void, onName: (name: string) => void }} props */
function Row({ one, types, isBusy, onTarget, onName }) {
  const source = types.find((type) => type.id === one.source);
  const ends = one.column ? types : types.filter((type) => type.id === one.target);
  const from = `${source?.name ?? one.source} · ${one.column ? labelOf(source, one.column) : one.name}`;
  return html`<div class="network-row"><span>${from} <span class="muted small">${t('shelf.relations', { n: one.links })}</span></span>
    <span class="network-choice"><${Icon} name="right" /><select aria-label=${t('shelf.networkGoesTo', { from })} value=${one.target} disabled=${isBusy}
      onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => onTarget(event.target.value || null)}>
      ${ends.map((type) => html`<option value=${type.id}>${type.name}</option>`)}<option value="">${t('shelf.networkNone')}</option></select></span>
    <label class="network-name"><span class="muted small">${t('shelf.networkRelationName')}</span><${NameField} label=${t('shelf.networkNameOf', { from })} value=${one.name} isBusy=${isBusy} onChange=${onName} /></label></div>`;
}

/** @param {{ types: Type[], isBusy: boolean, onAdd: (one: Joined) => void }} props */
function Adding({ types, isBusy, onAdd }) {
  const [from, setFrom] = useState('');
  const [target, setTarget] = useState('');
  const columns = types.flatMap((type) => type.properties.map((one) => ({ value: `${type.id} ${one.name}`, label: `${type.name} · ${labelOf(type, one.name)}` })));
  const add = () => {
    const [source, column] = from.split(' ');
    onAdd({ source, column, target });
    setFrom('');
    setTarget('');
  };
  return html`<div class="network-row"><select aria-label=${t('shelf.networkFrom')} value=${from} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => setFrom(event.target.value)}>
      <option value="">${t('shelf.networkFrom')}</option>${columns.map((one) => html`<option value=${one.value}>${one.label}</option>`)}</select>
    <span class="network-choice"><${Icon} name="right" /><select aria-label=${t('shelf.networkTo')} value=${target} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => setTarget(event.target.value)}>
      <option value="">${t('shelf.networkTo')}</option>${types.map((type) => html`<option value=${type.id}>${type.name}</option>`)}</select>
    <button type="button" class="button" disabled=${isBusy || !from || !target} onClick=${add}>${t('shelf.networkAdd')}</button></span></div>`;
}
