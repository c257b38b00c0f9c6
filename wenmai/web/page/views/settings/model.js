// @ts-check
/** The model service that answers, chosen and tried by who administers everything; a key is never shown whole. */
import * as server from '../../api/server.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { toast } from '../../parts/toast.js';
import { ModelTest } from './model-test.js';

const OFFLINE = 'USE_MOCK_LLM'; // the variable by which no model answers, whichever is chosen

/** Where the model is, and the way to another one. @param {{ model: server.Model, onChange: () => void }} props */
export function Model({ model, onChange }) {
  const [isOpen, setOpen] = useState(false);
  const named = [...new Set([...model.service_variables, ...model.model_variables])];
  return html`${model.provider && html`<dl class="facts">
      <div><dt>${t('settings.address')}</dt><dd>${model.base_url ?? t('settings.ownAddress')}</dd></div>
      <div><dt>${t('settings.modelKey')}</dt><dd>${model.key ?? t('settings.none')}</dd></div></dl>`}
    ${named.length > 0 && html`<p class="muted small">${t('settings.namedBy', { names: named.join(' · ') })}</p>`}
    ${model.may_choose && !named.includes(OFFLINE) && html`<div class="row"><button type="button" class="button" onClick=${() => setOpen(true)}>${t('settings.chooseModel')}</button></div>`}
    ${isOpen && html`<${Choice} model=${model} onChange=${onChange} onClose=${() => setOpen(false)} />`}`;
}

/** @param {{ model: server.Model, onChange: () => void, onClose: () => void }} props */
function Choice({ model, onChange, onClose }) {
  const [given, setGiven] = useState({ provider: model.provider ?? 'openai', address: model.base_url ?? '', model: model.model ?? '', key: '' });
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  const isNamed = model.service_variables.length > 0;
  /** @type {server.NewModel} */
  const body = { provider: given.provider, base_url: isNamed ? null : given.address.trim() || null, model: given.model.trim() || null, key: given.key.trim() || null };
  /** What an earlier try said holds no more. @param {Partial<typeof given>} values */
  const change = (values) => {
    setGiven({ ...given, ...values });
    setError(null);
  };
  /** @param {() => Promise<unknown>} act @param {string} text */
  const save = async (act, text) => {
    setBusy(true);
    setError(null);
    setTries(tries + 1);
    try {
      await act();
      toast(text);
      onChange();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    void save(() => server.chooseModel(body), t('settings.modelChosen'));
  };
  const hasKey = model.is_chosen && model.key !== null && model.provider === body.provider && model.base_url === body.base_url;
  return html`<${Dialog} title=${t('settings.chooseModel')} isHeld=${isBusy} onClose=${() => isBusy || onClose()}><form class="stack" autocomplete="off" onSubmit=${submit}>
    <label class="field"><span>${t('settings.protocol')}</span><select value=${given.provider} disabled=${isNamed}
      onChange=${(/** @type {{ target: HTMLSelectElement }} */ { target }) => change({ provider: /** @type {'openai' | 'gemini'} */ (target.value), address: '', model: '', key: '' })}>
      <option value="openai">${t('settings.openai')}</option><option value="gemini">Gemini</option></select></label>
    <${Field} label=${t('settings.addressHint')} type="url" value=${given.address} isOff=${isNamed} onInput=${(/** @type {string} */ address) => change({ address })} />
    <${Field} label=${t('settings.modelName')} type="text" value=${given.model} isOff=${model.model_variables.length > 0} onInput=${(/** @type {string} */ name) => change({ model: name })} />
    <${Field} label=${hasKey ? t('settings.keyStays', { key: model.key ?? '' }) : t('settings.modelKey')} type="password" value=${given.key} isOff=${isNamed} onInput=${(/** @type {string} */ key) => change({ key })} />
    <${ModelTest} key=${[tries, ...Object.values(body)].join('\n')} typed=${body} onAsk=${() => setError(null)} />
    ${error && html`<${ErrorLine} error=${error} />`}
    <div class="row end">${model.is_chosen && html`<button type="button" class="button quiet" disabled=${isBusy} onClick=${() => save(server.forgetModel, t('settings.modelForgotten'))}>${t('settings.forgetModel')}</button>`}
      <button type="button" class="button quiet" disabled=${isBusy} onClick=${onClose}>${t('parts.cancel')}</button>
      <button type="submit" class="button primary" disabled=${isBusy}>${t('settings.saveModel')}</button></div></form><//>`;
}

/** @param {{ label: string, type: string, value: string, isOff: boolean, onInput: (value: string) => void }} props */
const Field = ({ label, type, value, isOff, onInput }) => html`<label class="field"><span>${label}</span><input type=${type} value=${value} disabled=${isOff} spellcheck=${false}
  autocomplete=${type === 'password' ? 'new-password' : 'off'} onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => onInput(target.value)} /></label>`;
