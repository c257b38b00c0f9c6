// @ts-check
/** What a reader mends: two names of one person, a name that is somebody else's, a better name, somebody in the way. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { Menu } from '../../parts/menu.js';
import { ErrorLine } from '../../parts/error-line.js';
import { toast } from '../../parts/toast.js';
import { useGuard } from '../../store.js';
import { setHidden, useHidden } from './hidden.js';
import { PersonSearch } from './person-search.js';
import { kindText } from './words.js';

/** @type {readonly stories.EntityKind[]} */
const KINDS = ['Character', 'Location', 'Organization', 'Event', 'Object'];

/** @typedef {{ library: string, entity: stories.EntityDetail, known: import('./data.js').Known, onChanged: (name?: string) => void, onNarrator?: () => void }} Props */
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
export function Mending({ library, entity, known, onChanged, onNarrator }) {
  const [open, setOpen] = useState(/** @type {'merge' | 'rename' | 'kind' | null} */ (null));
  const hidden = useHidden(library);
  const { error, isBusy, change } = useChange(onChanged);
  const isHidden = hidden.has(entity.name);
  const split = async (/** @type {string} */ name) => {
    const isMerged = entity.merged.includes(name);
    if (!(await change(() => stories.split(library, name)))) return;
    const undo = () => (isMerged ? stories.merge(library, name, entity.name) : stories.undoChange(library, `alias:${name}`)).then(() => onChanged(), said);
    toast(t('people.splitDone', { name, from: entity.name }), { undo });
  };
  const drop = async () => {
    if (!(await change(() => stories.setKind(library, entity.name, null)))) return;
    toast(t('people.dropDone', { name: entity.name }), { undo: () => stories.undoChange(library, `kind:${entity.name}`).then(() => onChanged(entity.name), said) });
  };
  const hide = () => {
    setHidden(library, entity.name, !isHidden);
    toast(t(isHidden ? 'people.shownDone' : 'people.hiddenDone', { name: entity.name }), { undo: () => setHidden(library, entity.name, isHidden) });
  };
  const more = [
    { label: t('people.isNarrator'), onSelect: () => onNarrator?.() },
    { label: t('people.noName'), onSelect: drop },
    { label: t(isHidden ? 'people.show' : 'people.hide'), onSelect: hide },
  ];
  return html`<div class="people-mending">
    <div class="row">
      ${known.isAdmin ? html`<button type="button" class="button quiet" onClick=${() => setOpen('merge')}>${t('people.merge')}</button>
      <button type="button" class="button quiet" onClick=${() => setOpen('rename')}>${t('people.rename')}</button>
      <button type="button" class="button quiet" onClick=${() => setOpen('kind')}>${t('people.setKind')}</button>
      <${Menu} label=${t('people.moreOf', { name: entity.name })} items=${more} />`
        : html`<button type="button" class="button quiet" onClick=${hide}>${t(isHidden ? 'people.show' : 'people.hide')}</button>`}
    </div>
    ${known.isAdmin && entity.aliases.length > 0 && html`<details class="people-parting"><summary class="small muted">${t('people.wrongAlias')}</summary>
      <div class="people-chips">${entity.aliases.map((name) => html`<button type="button" class="chip" key=${name} disabled=${isBusy} onClick=${() => split(name)}>${t('people.splitOut', { name })}</button>`)}</div></details>`}
    ${error && html`<${ErrorLine} error=${error} />`}
    ${open === 'merge' && html`<${Merge} library=${library} entity=${entity} known=${known} onChanged=${onChanged} onClose=${() => setOpen(null)} />`}
    ${open === 'kind' && html`<${KindChoice} library=${library} entity=${entity} known=${known} onChanged=${onChanged} onClose=${() => setOpen(null)} />`}
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
    const found = known.entities.find((one) => one.name === name);
    setKept((found?.mentions ?? 0) > entity.mentions ? name : entity.name); // by default the more frequent name stays
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

/** What the entity is. @param {Props & { onClose: () => void }} props */
function KindChoice({ library, entity, onChanged, onClose }) {
  const [kind, setKind] = useState(entity.kind);
  const { error, isBusy, change } = useChange(onChanged);
  /** @param {Event} event */
  const set = async (event) => {
    event.preventDefault();
    if (!(await change(() => stories.setKind(library, entity.name, /** @type {stories.EntityKind} */ (kind)), entity.name))) return;
    toast(t('people.kindDone', { name: entity.name, kind: kindText(kind) }), { undo: () => stories.undoChange(library, `kind:${entity.name}`).then(() => onChanged(entity.name), said) });
    onClose();
  };
  return html`<${Dialog} title=${t('people.kindTitle', { name: entity.name })} onClose=${onClose}>
    <form class="stack" onSubmit=${set}>
      <fieldset class="people-kept"><legend>${t('people.kind')}</legend>${KINDS.map((one) => html`<label class="row people-choice" key=${one}>
        <input type="radio" name="kind" checked=${kind === one} onChange=${() => setKind(one)} />${kindText(one)}</label>`)}</fieldset>
      ${error && html`<${ErrorLine} error=${error} />`}
      <${Buttons} label=${t('people.kindDo')} isReady=${!isBusy && kind !== entity.kind} onClose=${onClose} />
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
