// @ts-check
import * as server from '../../api/server.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Loader, useLoad } from '../../parts/load.js';
import { useSignal } from '../../signals.js';
import { askedOf, choiceOf, choose, chosen, KITS, remembers, withNetwork } from './kits.js';
import { Popover } from './popover.js';

/** @typedef {import('./kits.js').Choice} Choice */

/** What answers the questions of a library, or those without one. @param {{ library: string | null }} props */
export function KitMenu({ library }) {
  const choice = choiceOf(useSignal(chosen), library);
  const isKept = useSignal(remembers);
  return html`<${Popover} label=${t('desk.toolkits')} icon="settings" badge=${choice?.kits.length ?? 0}>
    <fieldset class="desk-kits"><legend>${t('desk.toolkits')}</legend>
      <label><input type="radio" checked=${choice === null} onChange=${() => choose(library, null)} /><span>${t('desk.automatic')}
        <span class="muted small">${t(library === null ? 'desk.automaticAlone' : 'desk.automaticHint')}</span></span></label>
      ${KITS.filter((kit) => library !== null || kit !== 'narrative').map((kit) => html`<label key=${kit}><input type="checkbox" checked=${choice?.kits.includes(kit) ?? false}
        onChange=${() => choose(library, { networks: choice?.networks ?? [], kits: toggled(choice?.kits ?? [], kit) })} /><span>${t(`desk.kit_${kit}`)}</span></label>`)}
      ${choice?.kits.includes('knowledge') && html`<${Networks} library=${library} choice=${choice} />`}
    </fieldset>
    <div class="desk-kits"><label><input type="checkbox" checked=${isKept} onChange=${() => { remembers.value = !isKept; }} /><span>${t('desk.remember')}
      <span class="muted small">${t('desk.rememberHint')}</span></span></label></div>
  <//>`;
}

/** @param {{ library: string | null, choice: Choice }} props */
function Networks({ library, choice }) {
  const all = useLoad((signal) => server.networks(signal), []);
  return html`<${Loader} of=${all}>${(/** @type {server.Network[]} */ found) => found.length === 0 ? html`<p class="muted small">${t('desk.noNetworks')}</p>`
    : html`<div class="desk-networks">${found.map((one) => html`<label key=${one.id}><input type="checkbox" checked=${askedOf(choice, found.map(({ id }) => id)).includes(one.id)}
      onChange=${() => choose(library, withNetwork(choice, one.id, found.map(({ id }) => id)))} /><span>${one.name || one.id}</span></label>`)}</div>`}<//>`;
}

/**
 * @template T
 * @param {readonly T[]} all
 * @param {T} one
 */
export const toggled = (all, one) => (all.includes(one) ? all.filter((other) => other !== one) : [...all, one]);
