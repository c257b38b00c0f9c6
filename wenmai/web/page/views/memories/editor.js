// @ts-check
import * as memories from '../../api/memories.js';
import { date, t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { useLoad } from '../../parts/load.js';
import { isWithheld, OFFERED, typeText } from './texts.js';

/** @typedef {memories.Memory} Memory */

/** A memory that is new, or changed. @param {{ memory: Memory | null, onSaved: () => void, onClose: () => void }} props */
export function Editor({ memory, onSaved, onClose }) {
  const [content, setContent] = useState(memory?.content ?? '');
  const [type, setType] = useState(memory?.type ?? 'general');
  const [isSensitive, setSensitive] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [isBusy, setBusy] = useState(false);
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      if (memory) await memories.change(memory.key, { content: content.trim(), type });
      else await memories.add({ content: content.trim(), type, is_sensitive: isSensitive });
      onSaved();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const types = [...new Set([...OFFERED, type])];
  return html`<${Dialog} title=${t(memory ? 'memories.change' : 'memories.add')} onClose=${onClose}>
    <form class="stack" onSubmit=${submit}>
      ${error && html`<${ErrorLine} error=${error} />`}
      <label class="field"><span>${t('memories.content')}</span><textarea rows="5" required value=${content}
        onInput=${(/** @type {{ target: HTMLTextAreaElement }} */ event) => setContent(event.target.value)}></textarea></label>
      <label class="field"><span>${t('memories.type')}</span><select value=${type} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => setType(event.target.value)}>
        ${types.map((one) => html`<option value=${one}>${typeText(one)}</option>`)}</select></label>
      ${!memory && html`<label class="row"><input type="checkbox" checked=${isSensitive} onChange=${(/** @type {{ target: HTMLInputElement }} */ event) => setSensitive(event.target.checked)} />
        <span>${t('memories.markSensitive')}</span></label>`}
      ${memory && html`<${History} memory=${memory} />`}
      <div class="row end"><button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button>
        <button type="submit" class="button primary" disabled=${isBusy}>${t('memories.save')}</button></div>
    </form>
  <//>`;
}

/** What a memory said before. @param {{ memory: Memory }} props */
function History({ memory }) {
  const { data } = useLoad((signal) => memories.get(memory.key, signal), [memory.key]);
  const older = (data?.history ?? []).filter((one) => !isWithheld(one));
  return older.length > 0 && html`<details><summary>${t('memories.history', { n: older.length })}</summary>
    <ul class="memories-history">${older.map((one) => html`<li><span class="muted small">${date(one.created_at)}</span> ${one.content}</li>`)}</ul></details>`;
}
