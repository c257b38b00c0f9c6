// @ts-check
/** The keys of the server, for who may administer everything: made, shown once, ended. */
import * as server from '../../api/server.js';
import { setKey } from '../../api/session.js';
import { date, t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { copy } from '../../parts/copy.js';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { Loader, useLoad } from '../../parts/load.js';
import { toast } from '../../parts/toast.js';

/** @typedef {import('../../api/http.js').Schemas['KeyList']} KeyList */

export function Keys() {
  const all = useLoad((signal) => server.keys(signal), []);
  const [isNew, setNew] = useState(false);
  const [ending, setEnding] = useState(/** @type {server.ApiKey | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /** @param {server.ApiKey} one */
  const end = async (one) => {
    setEnding(null);
    setError(null);
    await server.endKey(one.id).then(() => toast(t('settings.keyEnded', { user: one.user })), setError);
    all.reload();
  };
  return html`<section class="card stack settings-keys"><header class="row settings-keys-head"><h2>${t('settings.keys')}</h2>
      <button type="button" class="button" disabled=${all.data === null} onClick=${() => setNew(true)}><${Icon} name="plus" />${t('settings.newKey')}</button></header>
    ${error && html`<${ErrorLine} error=${error} />`}
    <${Loader} of=${all}>${(/** @type {KeyList} */ { items, is_open }) => html`
      ${is_open && html`<p class="muted small">${t('settings.noKeysYet')}</p>`}
      <ul class="settings-key-list" role="list">${items.map((one) => html`<${Row} key=${one.id} one=${one} onEnd=${() => setEnding(one)} />`)}</ul>`}<//>
    ${isNew && html`<${NewKey} isFirst=${all.data?.is_open ?? false} onMade=${all.reload} onClose=${() => setNew(false)} />`}
    ${ending && html`<${Confirm} title=${t('settings.endTitle', { user: ending.user })} text=${t('settings.endText')} action=${t('settings.endKey')} onConfirm=${() => end(ending)} onClose=${() => setEnding(null)} />`}
  </section>`;
}

/** @param {server.ApiKey} one @param {Date} now */
export function stateOf({ revoked_at, expires_at }, now) {
  if (revoked_at) return 'settings.keyIsEnded';
  return expires_at && new Date(expires_at) <= now ? 'settings.keyIsExpired' : null;
}

/** @param {{ one: server.ApiKey, onEnd: () => void }} props */
function Row({ one, onEnd }) {
  const over = stateOf(one, new Date());
  const facts = [one.name, t(one.is_admin ? 'settings.admin' : 'settings.reads'), one.libraries?.join(' · '),
    one.used_at && t('settings.keyUsed', { time: date(one.used_at) }), one.expires_at && !over && t('settings.keyUntil', { time: date(one.expires_at) })];
  return html`<li class="row"><div><p>${one.user} <span class="muted small">${one.id}</span></p><p class="muted small">${facts.filter(Boolean).join(' · ')}</p></div>
    ${over ? html`<span class="muted small">${t(over)}</span>`
      : html`<button type="button" class="button quiet" aria-label=${t('settings.endTitle', { user: one.user })} onClick=${onEnd}>${t('settings.endKey')}</button>`}</li>`;
}

/** A first key may administer: without one nobody could. @param {{ isFirst: boolean, onMade: () => void, onClose: () => void }} props */
function NewKey({ isFirst, onMade, onClose }) {
  const [given, setGiven] = useState({ user: '', name: '', isAdmin: isFirst, days: '' });
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /** @param {Partial<typeof given>} values */
  const change = (values) => {
    setGiven({ ...given, ...values });
    setError(null);
  };
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const made = await server.makeKey({ user: given.user.trim(), name: given.name.trim(), is_admin: given.isAdmin, days: given.days ? Number(given.days) : null });
      setToken(made.token);
      if (isFirst) setKey(made.token); // from now on this page needs one, too
      onMade();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const leave = () => isBusy || onClose(); // what is made must be seen
  if (token) return html`<${Shown} token=${token} onClose=${onClose} />`;
  return html`<${Dialog} title=${t('settings.newKey')} isHeld=${isBusy} onClose=${leave}><form class="stack" onSubmit=${submit}>
    ${isFirst && html`<p>${t('settings.firstKey')}</p>`}
    <label class="field"><span>${t('settings.user')}</span><input type="text" required maxlength="200" value=${given.user} onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => change({ user: target.value })} /></label>
    <label class="field"><span>${t('settings.keyName')}</span><input type="text" maxlength="200" value=${given.name} onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => change({ name: target.value })} /></label>
    <label class="field"><span>${t('settings.keyDays')}</span><input type="number" min="1" max="3650" value=${given.days} onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => change({ days: target.value })} /></label>
    <label class="row"><input type="checkbox" checked=${given.isAdmin} disabled=${isFirst} onChange=${() => change({ isAdmin: !given.isAdmin })} /><span>${t('settings.keyAdmin')}</span></label>
    ${error && html`<${ErrorLine} error=${error} />`}
    <div class="row end"><button type="button" class="button quiet" disabled=${isBusy} onClick=${onClose}>${t('parts.cancel')}</button>
      <button type="submit" class="button primary" disabled=${isBusy || !given.user.trim()}>${t('settings.makeKey')}</button></div></form><//>`;
}

/** The token is not shown again: no Escape and no click beside close it. @param {{ token: string, onClose: () => void }} props */
function Shown({ token, onClose }) {
  const take = () => copy(token).then(() => toast(t('settings.keyCopied')), () => toast(t('parts.notCopied')));
  return html`<${Dialog} title=${t('settings.keyMade')} isHeld onClose=${onClose}><div class="stack">
    <p>${t('settings.keyOnce')}</p>
    <label class="field"><span>${t('shell.key')}</span><input type="text" readonly value=${token} onFocus=${(/** @type {{ target: HTMLInputElement }} */ { target }) => target.select()} /></label>
    <div class="row end"><button type="button" class="button" onClick=${take}>${t('settings.copyKey')}</button>
      <button type="button" class="button primary" onClick=${onClose}>${t('parts.close')}</button></div></div><//>`;
}
