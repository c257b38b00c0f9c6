// @ts-check
/** Folders of the collection: the server knows one as long as it has a document, this tab one that was made in it. */
import * as documents from '../../api/documents.js';
import { t } from '../../i18n/index.js';
import { keep, keptOf } from '../../kept.js';
import { html, useId, useState } from '../../lib.js';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Menu } from '../../parts/menu.js';
import { toast } from '../../parts/toast.js';
import { go, goOn, href, route } from '../../router.js';
import { signal } from '../../signals.js';

const LONGEST = 80;
const KEPT = 'wenmai.folders'; // for the session of one user: names of folders are no one else's
/** Folders that were made here; they are listed also while they are empty. */
export const made = signal(/** @type {string[]} */ (keptOf(KEPT).made ?? []));
made.subscribe((names) => keep(KEPT, 'made', names));

/**
 * Return the folders that are listed, in their order.
 * @param {readonly { folder?: string | null }[]} all  the documents
 * @param {readonly (string | null)[]} empty  others that are listed
 */
export const foldersOf = (all, empty) => [...new Set([...all.map((one) => one.folder), ...empty])].filter((one) => typeof one === 'string' && one !== '').map(String).sort((one, other) => one.localeCompare(other));

/**
 * Asks for the name of a folder.
 * @param {{ title: string, value?: string, folders?: readonly string[], isTopAllowed?: boolean, action: string, onChoose: (name: string) => void, onClose: () => void }} props
 */
export function FolderForm({ title, value = '', folders = [], isTopAllowed = false, action, onChoose, onClose }) {
  const [name, setName] = useState(value);
  const id = useId();
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    onChoose(name.trim());
  };
  return html`<${Dialog} title=${title} onClose=${onClose}><form class="stack" onSubmit=${submit}>
    <label class="field"><span>${t('documents.folder')}</span><input type="text" list=${id} maxlength=${LONGEST} required=${!isTopAllowed} value=${name}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setName(event.target.value)} /></label>
    <datalist id=${id}>${folders.map((one) => html`<option value=${one}></option>`)}</datalist>
    ${isTopAllowed && html`<p class="muted small">${t('documents.topHint')}</p>`}
    <div class="row end"><button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button>
      <button type="submit" class="button primary" disabled=${name.trim() === value || (!isTopAllowed && !name.trim())}>${action}</button></div></form><//>`;
}

/** A new folder is a place to add documents to. @param {{ onClose: () => void }} props */
export const NewFolder = ({ onClose }) => html`<${FolderForm} title=${t('documents.newFolder')} action=${t('documents.openFolder')} onClose=${onClose}
  onChoose=${(/** @type {string} */ name) => (onClose(), (made.value = [...new Set([...made.value, name])]), go(href('documents', { rest: [name] })))} />`;

/** @param {{ folder: string, count: number, onChange: () => void }} props */
export function FolderMenu({ folder, count, onChange }) {
  const [open, setOpen] = useState(/** @type {'rename' | 'remove' | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const close = () => setOpen(null);
  /** An empty folder is known here alone. @param {() => Promise<unknown>} work @param {string} told @param {string[]} rest  the folder that takes its place */
  const change = async (work, told, rest) => {
    const from = route.value;
    close();
    await (count ? work() : Promise.resolve()).then(() => {
      made.value = made.value.flatMap((one) => (one === folder ? rest : one));
      toast(told);
      goOn(from, href('documents', { rest }));
      onChange();
    }, setError);
  };
  /** @param {string} to */
  const rename = (to) => change(() => documents.move({ collection: true, folder }, [], to), t('documents.renamed', { folder: to }), [to]);
  const remove = () => change(() => documents.removeFolder(folder), count ? t('documents.removedFolder', { folder, n: count }) : t('documents.removedEmpty', { folder }), []);
  return html`<${Menu} label=${t('documents.folderMenu', { folder })} items=${[
      { label: t('documents.rename'), onSelect: () => setOpen('rename') },
      count ? { label: t('documents.removeFolder'), onSelect: () => setOpen('remove'), isDanger: true } : { label: t('documents.removeEmpty'), onSelect: remove },
    ]} />
    ${error && html`<${ErrorLine} error=${error} />`}
    ${open === 'rename' && html`<${FolderForm} title=${t('documents.rename')} value=${folder} action=${t('documents.renameDo')} onChoose=${rename} onClose=${close} />`}
    ${open === 'remove' && html`<${Confirm} title=${t('documents.removeFolderTitle', { folder })} text=${t('documents.removeFolderText', { n: count })} action=${t('desk.remove')} onConfirm=${remove} onClose=${close} />`}`;
}
