// @ts-check
/** A document of the collection: moved, replaced by a newer version, removed. */
import * as documents from '../../api/documents.js';
import { date, t } from '../../i18n/index.js';
import { html, useRef, useState } from '../../lib.js';
import { Confirm } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Menu } from '../../parts/menu.js';
import { toast } from '../../parts/toast.js';
import { FolderForm } from './folders.js';
import { send } from './uploads.js';

/** @param {{ one: documents.Document, folders: readonly string[], isPlaced: boolean, onChange: () => void }} props  isPlaced: its folder is told */
export function Row({ one, folders, isPlaced, onChange }) {
  const [open, setOpen] = useState(/** @type {'move' | 'remove' | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {() => Promise<unknown>} work @param {string} told */
  const change = async (work, told) => {
    setOpen(null);
    setError(null);
    await work().then(() => (toast(told), onChange()), setError);
  };
  /** @param {string} to */
  const move = (to) => change(() => documents.move(documents.COLLECTION, [one.id], to), t('documents.moved', { name: one.filename, folder: to || t('documents.noFolder') }));
  const remove = () => change(() => documents.remove(documents.COLLECTION, one.id), t('desk.removed', { name: one.filename }));
  const replace = () => {
    const [file] = input.current?.files ?? [];
    if (file) void send([file], documents.COLLECTION, one.id);
    if (input.current) input.current.value = '';
  };
  const facts = [...(isPlaced && one.folder ? [one.folder] : []), date(one.uploaded_at), t('documents.parts', { n: one.chunks })];
  return html`<li class="card documents-row"><div><p class="documents-name">${one.filename}</p><p class="muted small">${facts.join(' · ')}</p>
      ${error && html`<${ErrorLine} error=${error} />`}</div>
    <${Menu} label=${t('documents.menu', { name: one.filename })} items=${[
      { label: t('documents.newVersion'), onSelect: () => input.current?.click() },
      { label: t('documents.move'), onSelect: () => setOpen('move') },
      { label: t('desk.remove'), onSelect: () => setOpen('remove'), isDanger: true },
    ]} />
    <input ref=${input} type="file" hidden aria-label=${t('documents.newVersionOf', { name: one.filename })} onChange=${replace} />
    ${open === 'move' && html`<${FolderForm} title=${t('documents.moveTitle', { name: one.filename })} value=${one.folder ?? ''} folders=${folders} isTopAllowed action=${t('documents.moveDo')} onChoose=${move} onClose=${() => setOpen(null)} />`}
    ${open === 'remove' && html`<${Confirm} title=${t('desk.removeTitle', { name: one.filename })} text=${t('desk.removeText')} action=${t('desk.remove')} onConfirm=${remove} onClose=${() => setOpen(null)} />`}
  </li>`;
}
