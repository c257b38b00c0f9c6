// @ts-check
import * as server from '../api/server.js';
import { hasKey, setKey } from '../api/session.js';
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { Loader, useLoad } from '../parts/load.js';
import { useSignal } from '../signals.js';

/** The public settings of the server, and the key of this page. */
export default function Settings() {
  const known = useLoad((signal) => server.settings(signal), []);
  const isSignedIn = useSignal(hasKey);
  return html`<h1>${t('settings.title')}</h1>
    <${Loader} of=${known}>${(/** @type {server.Settings} */ found) => html`<dl class="facts">
      <div><dt>${t('settings.version')}</dt><dd>${found.version}</dd></div>
      <div><dt>${t('settings.mind')}</dt><dd>${t(`settings.${found.mind}`)}</dd></div>
    </dl>`}<//>
    ${isSignedIn && html`<button type="button" class="button" onClick=${() => setKey('')}>${t('settings.signOut')}</button>`}`;
}
