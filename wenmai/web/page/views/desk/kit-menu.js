// @ts-check
/** What answers: each source is a switch at the question; which networks are asked stands behind a button. */
import * as server from '../../api/server.js';
import { elsewhere } from '../../api/tabs.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useRef } from '../../lib.js';
import { useLoad } from '../../parts/load.js';
import { useSignal } from '../../signals.js';
import { askedOf, choiceOf, choose, chosen, effective, foldersOf, remembers, switched, visible, withFolder, withNetwork } from './kits.js';
import { Popover } from './popover.js';

/** @typedef {import('./kits.js').Choice} Choice */
/** @typedef {import('./documents.js').Documents} Documents */

/** The sources of a library, or of questions without one. @param {{ library: string | null, documents: Documents }} props */
export function Sources({ library, documents }) {
  const choice = choiceOf(useSignal(chosen), library);
  const isKept = useSignal(remembers);
  const networks = useLoad((signal) => server.networks(signal), [useSignal(elsewhere)]).data ?? [];
  const there = { library, hasDocuments: documents.isAny, isOwn: documents.isOwn, networks: networks.map(({ id }) => id) };
  const folders = [...new Set(documents.all.flatMap((one) => one.folder ?? []))].sort();
  const on = effective(choice, there);
  useNewDocuments(library, documents);
  return html`<div class="desk-sources" role="group" aria-label=${t('desk.toolkits')}>
    ${visible(there).map((kit) => html`<${Switch} key=${kit} label=${t(`desk.source_${kit}`)} hint=${t(`desk.kit_${kit}`)} isOn=${on.includes(kit)}
      onToggle=${() => choose(library, switched(choice, kit, there))} />`)}
    ${networks.length > 1 && on.includes('knowledge') && html`<${Networks} library=${library} choice=${choice ?? { kits: on, networks: [] }} found=${networks} />`}
    ${folders.length > 1 && on.includes('documents') && html`<${Folders} library=${library} choice=${choice ?? { kits: on, networks: [] }} found=${folders} />`}
    <${Switch} label=${t('desk.remember')} hint=${t('desk.rememberHint')} isOn=${isKept} onToggle=${() => { remembers.value = !isKept; }} />
  </div>`;
}

/** @param {{ label: string, hint: string, isOn: boolean, onToggle: () => void }} props */
const Switch = ({ label, hint, isOn, onToggle }) => html`<button type="button" class="desk-switch" role="switch" aria-checked=${isOn} title=${hint} onClick=${onToggle}>
  <span class="desk-switch-knob" aria-hidden="true"></span>${label}</button>`;

/** A document that comes is asked, also where the sources were chosen before. @param {string | null} library @param {Documents} documents */
function useNewDocuments(library, { all, isKnown }) {
  const before = useRef(/** @type {number | null} */ (null));
  useEffect(() => {
    if (!isKnown) return;
    const choice = choiceOf(chosen.value, library);
    const isNew = before.current !== null && all.length > before.current;
    if (isNew && choice && !choice.kits.includes('documents')) choose(library, { ...choice, kits: [...choice.kits, 'documents'] });
    before.current = all.length;
  }, [all.length, isKnown]);
}

/** @param {{ library: string | null, choice: Choice, found: server.Network[] }} props */
function Networks({ library, choice, found }) {
  const ids = found.map(({ id }) => id);
  const asked = askedOf(choice, ids);
  return html`<${Popover} label=${t('desk.whichNetworks')} icon="settings" badge=${asked.length < ids.length ? asked.length : 0}>
    <fieldset class="desk-kits"><legend>${t('desk.whichNetworks')}</legend>
      ${found.map((one) => html`<label key=${one.id}><input type="checkbox" checked=${asked.includes(one.id)}
        onChange=${() => choose(library, withNetwork(choice, one.id, ids))} /><span>${one.name || one.id}</span></label>`)}</fieldset>
  <//>`;
}

/** @param {{ library: string | null, choice: Choice, found: string[] }} props */
function Folders({ library, choice, found }) {
  const asked = foldersOf(choice, found);
  return html`<${Popover} label=${t('documents.whichFolders')} icon="attach" badge=${asked.length < found.length ? asked.length : 0}>
    <fieldset class="desk-kits"><legend>${t('documents.whichFolders')}</legend>
      ${found.map((one) => html`<label key=${one}><input type="checkbox" checked=${asked.includes(one)}
        onChange=${() => choose(library, withFolder(choice, one, found))} /><span>${one || t('documents.noFolder')}</span></label>`)}</fieldset>
  <//>`;
}
