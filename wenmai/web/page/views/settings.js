// @ts-check
/** Who answers, how the server is, how the page looks, and who asks. */
import * as server from '../api/server.js';
import { isAbort } from '../api/problems.js';
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { ErrorLine } from '../parts/error-line.js';
import { Loader, useLoad } from '../parts/load.js';
import { hasKey } from '../api/session.js';
import { useSignal } from '../signals.js';
import { Appearance } from './settings/appearance.js';
import { Key } from './settings/key.js';
import { Keys } from './settings/keys.js';
import { Model } from './settings/model.js';
import { ModelTest } from './settings/model-test.js';

/** @typedef {{ known: server.Settings, health: import('../api/http.js').Schemas['Health'], me: server.Me, model: server.Model | null, fault: unknown }} Found  model: for who administers everything; fault: why it cannot be read */

/** @param {AbortSignal} signal @returns {Promise<Found>} */
async function load(signal) {
  const [known, health, me] = await Promise.all([server.settings(signal), server.health(signal), server.me(signal)]);
  const found = { known, health, me, model: null, fault: null };
  if (!isAdminOfAll(me)) return found;
  try {
    return { ...found, model: await server.model(signal) };
  } catch (fault) {
    if (isAbort(fault)) throw fault;
    return { ...found, fault };
  }
}

export default function Settings() {
  const isSignedIn = useSignal(hasKey);
  const all = useLoad(load, [isSignedIn]);
  return html`<h1>${t('settings.title')}</h1>
    <div class="settings">
      <${Loader} of=${all}>${(/** @type {Found} */ found) => html`<div class="settings-cards"><${Mind} found=${found} onChange=${all.reload} /><${Server} found=${found} />
        <${Key} me=${found.me} needsKey=${found.known.needs_key} />
        ${isAdminOfAll(found.me) && html`<${Keys} />`}</div>`}<//>
      <${Appearance} />
    </div>`;
}

/** @param {server.Me} me */
const isAdminOfAll = (me) => me.is_admin && me.libraries === null && me.networks === null;

/** @param {{ found: Found, onChange: () => void }} props */
const Mind = ({ found: { known, me, model, fault }, onChange }) => html`<section class="card stack"><h2>${t('settings.mind')}</h2>
  <dl class="facts">
    <div><dt>${t('settings.who')}</dt><dd>${known.mind === 'model' ? known.model : t('settings.offline')}</dd></div>
    <div><dt>${t('settings.reader')}</dt><dd>${t(known.reads ? 'settings.readerOn' : 'settings.readerOff')}</dd></div>
  </dl>
  <p class="muted small">${t(known.mind === 'model' ? 'settings.modelHint' : model?.may_choose ? 'settings.offlineChoose' : 'settings.offlineHint')}</p>
  ${fault && html`<${ErrorLine} error=${fault} onRetry=${onChange} />`}
  ${model && html`<${Model} model=${model} onChange=${onChange} />`}
  ${me.is_admin && known.mind === 'model' && html`<${ModelTest} key=${[known.model, model?.base_url, model?.key].join('\n')} />`}
</section>`;

/** @type {Readonly<Record<string, import('../i18n/index.js').Key>>} */
const STORES = {
  catalog: 'settings.catalog', passages: 'settings.passages', story_graph: 'settings.story_graph',
  memories: 'settings.memories', documents: 'settings.documents', disk: 'settings.disk',
};

/** @param {string} name */
const storeText = (name) => (STORES[name] ? t(STORES[name]) : name);

/** @param {{ found: Found }} props */
const Server = ({ found: { known, health } }) => html`<section class="card stack"><h2>${t('settings.server')}</h2>
  <p class=${health.ready ? 'settings-good' : 'danger-text'}>${t(health.ready ? 'settings.ready' : 'settings.notReady')}</p>
  <dl class="facts">
    ${Object.entries(health.stores).map(([name, state]) => html`<div key=${name}><dt>${storeText(name)}</dt>
      <dd class=${state === 'ok' ? '' : 'danger-text'}>${t(state === 'ok' ? 'settings.ok' : 'settings.down')}</dd></div>`)}
    <div><dt>${t('settings.version')}</dt><dd>${known.version}</dd></div>
    <div><dt>${t('settings.largest')}</dt><dd>${t('settings.megabytes', { n: known.limits.source_mb })}</dd></div>
  </dl>
</section>`;
