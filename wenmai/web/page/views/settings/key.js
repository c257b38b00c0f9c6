// @ts-check
import { askForKey, hasKey, setKey } from '../../api/session.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { useSignal } from '../../signals.js';

/** Who asks, with what rights; the key comes and goes. @param {{ me: import('../../api/server.js').Me, needsKey: boolean }} props */
export function Key({ me, needsKey }) {
  const isSignedIn = useSignal(hasKey);
  return html`<section class="card stack"><h2>${t('settings.account')}</h2>
    <dl class="facts">
      <div><dt>${t('settings.user')}</dt><dd>${me.user_id}</dd></div>
      <div><dt>${t('settings.rights')}</dt><dd>${t(me.is_admin ? 'settings.admin' : 'settings.reads')}</dd></div>
      <div><dt>${t('settings.books')}</dt><dd>${me.libraries === null ? t('settings.all') : me.libraries.join(' · ') || t('settings.none')}</dd></div>
    </dl>
    <p class="muted small">${t(needsKey ? 'settings.keyHint' : 'settings.noKeyHint')}</p>
    ${needsKey && html`<div class="row">${isSignedIn ? html`<button type="button" class="button" onClick=${() => setKey('')}>${t('settings.signOut')}</button>`
      : html`<button type="button" class="button" onClick=${() => askForKey('')}>${t('settings.signIn')}</button>`}</div>`}
  </section>`;
}
