// @ts-check
/** The knowledge networks: things and what connects them, from tables. */
import * as server from '../../api/server.js';
import { elsewhere } from '../../api/tabs.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { Loader, useLoad } from '../../parts/load.js';
import { Menu } from '../../parts/menu.js';
import { toast } from '../../parts/toast.js';
import { href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { FileButton } from './drop-zone.js';
import { extensionOf, NETWORK_TYPES, networkIdFor, stemOf } from './files.js';
import { NewNetwork } from './new-network.js';

/** @param {{ isAdmin: boolean, mostMb: number }} props */
export function Networks({ isAdmin, mostMb }) {
  const all = useLoad((signal) => server.networks(signal), [useSignal(elsewhere)]);
  const [files, setFiles] = useState(/** @type {File[]} */ ([]));
  const [open, setOpen] = useState(/** @type {{ one: server.Network, what: 'types' | 'delete' } | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /** @param {server.Network} one */
  const remove = async (one) => {
    setOpen(null);
    try {
      const { counts } = await server.removeNetwork(one.id);
      toast(t('shelf.networkGone', { id: titleOf(one), n: counts.instances ?? 0 }));
      all.reload();
    } catch (failure) {
      setError(failure);
    }
  };
  const known = all.data ?? [];
  if (!isAdmin && known.length === 0) return null;
  return html`<section class="shelf-networks stack" aria-labelledby="networks-title">
    <header class="row shelf-section"><div><h2 id="networks-title">${t('shelf.networks')}</h2><p class="muted small">${t('shelf.networksHint')}</p></div>
      ${known.length > 0 && html`<a class="button" href=${href('desk')}>${t('shelf.networksAsk')}</a>`}
      ${isAdmin && html`<div class="row"><${FileButton} label=${t('shelf.networkFiles')} types=${NETWORK_TYPES} isMultiple onFiles=${setFiles} />
        <${FileButton} label=${t('shelf.networkFolder')} types=${NETWORK_TYPES} isFolder isMultiple onFiles=${setFiles} /></div>`}</header>
    ${error && html`<${ErrorLine} error=${error} />`}
    <${Loader} of=${all}>${(/** @type {server.Network[]} */ found) => found.length > 0 && html`<ul class="shelf-network-list" role="list">${found.map((one) => html`
      <li class="card" key=${one.id}><div><a class="network-title" href=${href('shelf', { rest: ['networks', one.id] })} title=${one.id}>${titleOf(one)}</a><p class="muted small">${sizes(one).join(' · ')}</p></div>
        <${Menu} label=${t('shelf.menu', { title: titleOf(one) })} items=${[
          { label: t('shelf.types2'), onSelect: () => setOpen({ one, what: 'types' }) },
          ...(isAdmin ? [{ label: t('shelf.delete'), onSelect: () => setOpen({ one, what: 'delete' }), isDanger: true }] : []),
        ]} /></li>`)}</ul>`}<//>
    ${files.length > 0 && html`<${NewNetwork} files=${usable(files)} name=${suggested(files, known.map((one) => one.id))} mostMb=${mostMb} onClose=${() => setFiles([])} onDone=${all.reload} />`}
    ${open?.what === 'types' && html`<${Dialog} title=${titleOf(open.one)} onClose=${() => setOpen(null)}><${Types} id=${open.one.id} /><//>`}
    ${open?.what === 'delete' && html`<${Confirm} title=${t('shelf.deleteTitle', { title: titleOf(open.one) })} text=${t('shelf.networkDelete')} action=${t('shelf.delete')}
      onConfirm=${() => remove(open.one)} onClose=${() => setOpen(null)} />`}
  </section>`;
}

/** @param {server.Network} one */
const titleOf = (one) => one.name || one.id;

/** @param {server.Network} one */
const sizes = (one) => [t('shelf.kinds', { n: one.object_types }), t('shelf.instances', { n: one.instances }), t('shelf.relations', { n: one.relations })];

/** @param {readonly File[]} files */
const usable = (files) => files.filter((file) => NETWORK_TYPES.includes(extensionOf(file.name)));

/** Return a name for what was chosen: that of its folder, else of its only file. @param {readonly File[]} files @param {readonly string[]} taken */
function suggested(files, taken) {
  const [folder] = files[0].webkitRelativePath.split('/');
  return networkIdFor(folder || (files.length === 1 ? stemOf(files[0].name) : 'network'), taken);
}

/** What a network may hold. @param {{ id: string }} props */
export function Types({ id }) {
  const found = useLoad((signal) => server.network(id, signal), [id]);
  /** @param {import('../../api/http.js').Schemas['SchemaView']} schema @param {string} type */
  const nameOf = (schema, type) => schema.object_types.find((one) => one.id === type)?.name ?? type;
  return html`<${Loader} of=${found}>${(/** @type {import('../../api/http.js').Schemas['SchemaView']} */ schema) => html`<div class="stack">
    <dl class="shelf-schema">${schema.object_types.map((one) => html`<div key=${one.id}><dt>${one.name}</dt>
      <dd class="muted small">${one.properties.map((property) => `${property.display_name || property.name}${property.is_key ? ' *' : ''}`).join(' · ')}</dd></div>`)}</dl>
    <ul class="shelf-relations">${schema.relation_types.map((one) => html`<li key=${one.id}><span>${nameOf(schema, one.source)}</span> <${Icon} name="right" /> <span>${nameOf(schema, one.target)}</span> <span class="muted small">${one.name}</span></li>`)}</ul>
  </div>`}<//>`;
}
