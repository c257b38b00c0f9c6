// @ts-check
/** What a reader mends: two names of one person, a name that is somebody else's, a better name, somebody in the way. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { toast } from '../../parts/toast.js';
import { useGuard } from '../../store.js';
import { setHidden, useHidden } from './hidden.js';
import { PersonSearch } from './person-search.js';

/** @typedef {{ library: string, entity: stories.EntityDetail, known: import('./data.js').Known, onChanged: (name?: string) => void }} Props */
/** @typedef {() => Promise<unknown>} Act */

/** Run a change; its error stays in a line. @param {(name?: string) => void} onChanged */
export function useChange(onChanged) {
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [isBusy, setBusy] = useState(false);
  /** @param {Act} act @param {string} [next] who is shown afterwards @returns {Promise<boolean>} */
  const change = async (act, next) => {
    setBusy(true);
    setError(null);
    try {
      await act();
      onChanged(next);
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, change };
}

/** @param {unknown} error */
export const said = async (error) => toast((await import('../../api/problems.js')).errorText(error));

/** Names are everybody's: an administrator mends them; anybody hides a name in this browser. @param {Props} props */
export function Mending({ library, entity, known, onChanged }) {
  const [open, setOpen] = useState(/** @type {'merge' | 'rename' | null} */ (null));
  const hidden = useHidden(library);
  const { error, isBusy, change } = useChange(onChanged);
  const isHidden = hidden.has(entity.name);
  const split = async (/** @type {string} */ name) => {
    if (!(await change(() => stories.split(library, name)))) return;
    const undo = () => stories.merge(library, name, entity.name).then(() => onChanged(), said);
    toast(t('people.splitDone', { name, from: entity.name }), { undo });
  };
  const hide = () => {
    setHidden(library, entity.name, !isHidden);
    toast(t(isHidden ? 'people.shownDone' : 'people.hiddenDone', { name: entity.name }), { undo: () => setHidden(library, entity.name, isHidden) });
  };
  return html`<div class="people-mending">
    <div class="row">
      ${known.isAdmin && html`<button type="button" class="button quiet" onClick=${() => setOpen('merge')}>${t('people.merge')}</button>
      <button type="button" class="button quiet" onClick=${() => setOpen('rename')}>${t('people.rename')}</button>`}
      <button type="button" class="button quiet" onClick=${hide}>${t(isHidden ? 'people.show' : 'people.hide')}</button>
    </div>
    ${known.isAdmin && entity.merged.length > 0 && html`<p class="small muted">${t('people.mergedNames')}</p>
      <div class="people-chips">${entity.merged.map((name) => html`<button type="button" class="chip" key=${name} disabled=${isBusy} onClick=${() => split(name)}>${t('people.splitOut', { name })}</button>`)}</div>`}
    ${error && html`<${ErrorLine} error=${error} />`}
    ${open === 'merge' && html`<${Merge} library=${library} entity=${entity} known=${known} onChanged=${onChanged} onClose=${() => setOpen(null)} />`}
    ${open === 'rename' && html`<${Rename} library=${library} entity=${entity} known=${known} onChanged=${onChanged} onClose=${() => setOpen(null)} />`}
  </div>`;
}

/** @param {Props & { onClose: () => void }} props */
function Merge({ library, entity, known, onChanged, onClose }) {
  const [other, setOther] = useState('');
  const [kept, setKept] = useState(entity.name);
  const { error, isBusy, change } = useChange(onChanged);
  const pick = (/** @type {string} */ name) => {
    setOther(name);
    setKept(entity.name);
  };
  const gone = kept === other ? entity.name : other;
  /** @param {Event} event */
  const merge = async (event) => {
    event.preventDefault();
    if (!(await change(() => stories.merge(library, gone, kept), kept))) return;
    const undo = () => stories.split(library, gone).then(() => onChanged(entity.name), said);
    toast(t('people.mergeDone', { gone, kept }), { undo });
    onClose();
  };
  const choice = (/** @type {string} */ name) => html`<label class="row people-choice"><input type="radio" name="kept" checked=${kept === name} onChange=${() => setKept(name)} />${name}</label>`;
  return html`<${Dialog} title=${t('people.mergeTitle', { name: entity.name })} onClose=${onClose}>
    <form class="stack" onSubmit=${merge}>
      <${PersonSearch} label=${t('people.mergeWith')} people=${known.entities.filter((one) => one.name !== entity.name)} onPick=${pick} />
      ${other && html`<fieldset class="people-kept"><legend>${t('people.kept')}</legend>${choice(entity.name)}${choice(other)}</fieldset>
        <p class="muted small">${t('people.mergeHint', { gone, kept })}</p>`}
      ${error && html`<${ErrorLine} error=${error} />`}
      <${Buttons} label=${t('people.mergeDo')} isReady=${!isBusy && Boolean(other)} onClose=${onClose} />
    </form>
  <//>`;
}

/** @param {Props & { onClose: () => void }} props */
function Rename({ library, entity, onChanged, onClose }) {
  const [name, setName] = useState(entity.name);
  const guard = useGuard(library);
  const { error, isBusy, change } = useChange(onChanged);
  const wanted = name.trim();
  const isReady = !isBusy && Boolean(wanted) && wanted !== entity.name;
  /** @param {Event} event */
  const rename = async (event) => {
    event.preventDefault();
    if (!(await change(() => stories.rename(library, entity.name, wanted), wanted))) return;
    const undo = () => stories.split(library, entity.name).then(() => onChanged(entity.name), said);
    toast(t('people.renameDone', { old: entity.name, name: wanted }), { undo });
    onClose();
  };
  return html`<${Dialog} title=${t('people.renameTitle', { name: entity.name })} onClose=${onClose}>
    <form class="stack" onSubmit=${rename}>
      <label class="field"><span>${t('people.newName')}</span><input type="text" maxlength="80" value=${name}
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setName(event.target.value)} /></label>
      <p class="muted small">${t('people.renameHint')}</p>
      ${guard && html`<p class="muted small">${t('people.mendAll')}</p>`}
      ${error && html`<${ErrorLine} error=${error} />`}
      <${Buttons} label=${t('people.renameDo')} isReady=${isReady} onClose=${onClose} />
    </form>
  <//>`;
}

/** @param {{ label: string, isReady: boolean, onClose: () => void }} props */
export const Buttons = ({ label, isReady, onClose }) => html`<div class="row end">
  <button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button>
  <button type="submit" class="button primary" disabled=${!isReady}>${label}</button></div>`;
