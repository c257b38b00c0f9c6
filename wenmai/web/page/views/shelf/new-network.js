// @ts-check
import { errorText } from '../../api/problems.js';
import * as server from '../../api/server.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { useHolding } from '../../parts/error-line.js';
import { Progress } from '../../parts/progress.js';
import { faultOf, NETWORK_TYPES } from './files.js';
import { formOf, Mending, usePreview } from './network-mending.js';
import { Types } from './networks.js';

/** @typedef {import('../../api/http.js').Schemas['ImportReceipt']} Receipt */

/** Files that become a network. @param {{ files: File[], name: string, mostMb: number, onClose: () => void, onDone: () => void }} props */
export function NewNetwork({ files, name, mostMb, onClose, onDone }) {
  const [id, setId] = useState(name);
  const [title, setTitle] = useState('');
  const looked = usePreview(name, files);
  const [state, setState] = useState({ isBusy: false, error: /** @type {unknown} */ (null), receipt: /** @type {Receipt | null} */ (null) });
  const refused = useHolding(state.error);
  const fault = files.map((file) => ({ file, key: faultOf(file, mostMb, NETWORK_TYPES) })).find((one) => one.key);
  const error = files.length === 0 ? t('shelf.noTables') : fault?.key ? t('shelf.ofFile', { name: fault.file.name, reason: t(fault.key, { mb: mostMb }) }) : looked.error || (refused && errorText(refused));
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    setState({ isBusy: true, error: null, receipt: null });
    try {
      const receipt = await server.addNetwork(id, formOf(files, looked.now, title));
      setState({ isBusy: false, error: null, receipt });
      onDone();
    } catch (failure) {
      setState({ isBusy: false, error: failure, receipt: null });
    }
  };
  if (state.receipt) return html`<${Done} receipt=${state.receipt} onClose=${onClose} />`;
  return html`<${Dialog} title=${t('shelf.newNetwork')} onClose=${onClose} wide>
    <form class="stack" onSubmit=${submit}>
      <ul class="shelf-files">${files.map((file) => html`<li>${file.name}</li>`)}</ul>
      ${error && html`<p class="error-line" role="alert"><span>${error}</span></p>`}
      <div class="review-fields"><label class="field"><span>${t('shelf.networkName')}</span><input type="text" maxlength="200" placeholder=${looked.preview?.name ?? ''} value=${title}
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setTitle(event.target.value)} /></label>
      <label class="field"><span>${t('shelf.networkId')}</span><input type="text" required maxlength="40" pattern="[a-z0-9][a-z0-9_\\-]*" value=${id}
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setId(event.target.value)} /></label></div>
      ${looked.preview ? html`${looked.preview.is_inferred && html`<p class="muted small">${t('shelf.networkRead')}</p>`}<${Mending} of=${looked} preview=${looked.preview} />`
        : looked.isBusy && !fault && html`<${Progress} label=${t('shelf.networkReading')} />`}
      ${state.isBusy && html`<${Progress} label=${t('shelf.starting')} />`}
      <div class="row end"><button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button>
        <button type="submit" class="button primary" disabled=${state.isBusy || looked.preview === null || looked.isBusy || Boolean(fault) || files.length === 0}>${t('shelf.importNetwork')}</button></div>
    </form>
  <//>`;
}

/** @param {{ receipt: Receipt, onClose: () => void }} props */
const Done = ({ receipt, onClose }) => html`<${Dialog} title=${t('shelf.networkDone', { id: receipt.id })} onClose=${onClose}>
  <ul class="shelf-figures" role="list"><li>${t('shelf.instances', { n: receipt.counts.instances ?? 0 })}</li><li>${t('shelf.relations', { n: receipt.counts.relations ?? 0 })}</li></ul>
  ${receipt.dangling > 0 && html`<p>${t('shelf.dangling', { n: receipt.dangling })}</p>`}
  <${Types} id=${receipt.id} />
  <div class="row end"><button type="button" class="button primary" onClick=${onClose}>${t('parts.close')}</button></div>
<//>`;
