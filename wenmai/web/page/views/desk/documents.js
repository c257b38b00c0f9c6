// @ts-check
/** The documents that a thread sees: its own, those of the collection, and those of everybody. */
import * as documents from '../../api/documents.js';
import { errorText, isAbort } from '../../api/problems.js';
import { elsewhere } from '../../api/tabs.js';
import { t } from '../../i18n/index.js';
import { html, useRef, useState } from '../../lib.js';
import { Confirm } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { useLoad } from '../../parts/load.js';
import { Progress } from '../../parts/progress.js';
import { toast } from '../../parts/toast.js';
import { href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { noted, sendEach } from '../documents/uploads.js';
import { filesOf } from '../shelf/files.js';
import { Popover } from './popover.js';

/** @typedef {import('../documents/uploads.js').Upload} Upload */
/** @typedef {ReturnType<typeof useDocuments>} Documents */

/** @param {string} thread */
export function useDocuments(thread) {
  const owner = { thread_id: thread };
  const found = useLoad((signal) => documents.list(owner, signal), [thread, useSignal(elsewhere)]);
  const [uploads, setUploads] = useState(/** @type {Upload[]} */ ([]));
  const [isAdded, setAdded] = useState(false); // before the list that is read again says so
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /** @param {unknown} failure */
  const fail = (failure) => {
    setError(failure);
    toast(errorText(failure));
  };
  /** @param {string} name @param {Upload | null} next */
  const note = (name, next) => setUploads((all) => noted(all, name, next));
  /** @param {string} name @param {() => Promise<unknown>} work */
  const follow = async (name, work) => {
    try {
      await work();
      setAdded(true);
      toast(t('desk.added', { name }));
    } catch (failure) {
      if (!isAbort(failure)) fail(failure);
    }
    note(name, null);
    found.reload();
  };
  /** @param {documents.Document} one */
  const remove = async (one) => {
    setError(null);
    setAdded(false);
    await documents.remove(owner, one.id).then(() => toast(t('desk.removed', { name: one.filename })), setError);
    found.reload();
  };
  /** @param {documents.Document} one */
  const collect = async (one) => {
    setError(null);
    await documents.move(owner, [one.id], '').then(() => toast(t('documents.collected', { name: one.filename })), setError);
    found.reload();
  };
  /** @param {Iterable<File>} files */
  const addAll = async (files) => {
    setError(null);
    await sendEach([...files], owner, note, follow);
  };
  const all = found.data ?? [];
  const isOwn = isAdded || all.some((one) => one.folder === null);
  return { all, isKnown: found.data !== null, isAny: isAdded || all.length > 0, isOwn, error: error ?? found.error, uploads, addAll, remove, collect };
}

/** Return whether the document of a citation, called with its folder where it was in one, is not there any more. @param {Pick<Documents, 'all' | 'isKnown'>} documents @param {string | null} source */
export const isRemoved = ({ all, isKnown }, source) => isKnown && !all.some((one) => source === one.filename || source === `${one.folder}/${one.filename}`);

/** Take files that are dropped, those of folders too. @param {(files: Iterable<File>) => unknown} add */
export function useDrop(add) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') ?? false;
  const dropping = {
    onDragOver: (/** @type {DragEvent} */ event) => hasFiles(event) && (event.preventDefault(), setOver(true)),
    onDragLeave: () => setOver(false),
    onDrop: (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      void filesOf(event.dataTransfer).then(add);
    },
  };
  return { isOver, dropping };
}

/** @param {{ documents: Documents }} props */
export function DocumentMenu({ documents: known }) {
  const { all, error, uploads, addAll, remove, collect } = known;
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {{ target: HTMLInputElement }} event */
  const chosen = ({ target }) => {
    void addAll(target.files ?? []);
    target.value = '';
  };
  const [leaving, setLeaving] = useState(/** @type {documents.Document | null} */ (null));
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const close = () => setLeaving(null);
  const take = (/** @type {documents.Document} */ one) => {
    close();
    void remove(one).then(() => button.current?.focus()); // its own button goes with it
  };
  return html`<${Popover} label=${all.length ? t('desk.documentsCount', { n: all.length }) : t('desk.documents')} icon="attach" badge=${all.length}>
    <div class="stack">
      <h2 class="desk-panel-title">${t('desk.documents')}</h2>
      ${error && html`<${ErrorLine} error=${error} />`}
      ${all.length > 0 && html`<ul role="list" class="desk-documents">${all.map((one) => html`<li key=${one.id}><span>${one.filename}</span>
        ${one.is_preloaded ? html`<span class="muted small">${t('desk.shared')}</span>`
          : one.folder !== null ? html`<span class="muted small">${one.folder || t('documents.title')}</span>`
            : html`<span class="desk-document-tools"><button type="button" class="icon-button" aria-label=${t('documents.collect', { name: one.filename })} title=${t('documents.collect', { name: one.filename })} onClick=${() => collect(one)}><${Icon} name="join" /></button>
              <button type="button" class="icon-button" aria-label=${t('desk.removeDocument', { name: one.filename })} onClick=${() => setLeaving(one)}><${Icon} name="trash" /></button></span>`}</li>`)}</ul>`}
      <${Uploads} uploads=${uploads} />
      <button ref=${button} type="button" class="button" onClick=${() => input.current?.click()}><${Icon} name="upload" />${t('desk.addDocument')}</button>
      <input ref=${input} type="file" multiple hidden onChange=${chosen} />
      <p class="muted small">${t('desk.documentsHint')} <a href=${href('documents')}>${t('documents.all')}</a></p>
      ${leaving && html`<${Confirm} title=${t('desk.removeTitle', { name: leaving.filename })} text=${t('desk.removeText')} action=${t('desk.remove')}
        onConfirm=${() => take(leaving)} onClose=${close} />`}
    </div>
  <//>`;
}

/** @param {{ uploads: readonly Upload[] }} props */
export const Uploads = ({ uploads }) => html`<div>${uploads.map((one) => one.sent < one.total
  ? html`<${Progress} key=${one.name} label=${t('desk.uploading', { name: one.name })} value=${one.sent} max=${one.total} />`
  : html`<${Progress} key=${`${one.name} reading`} label=${t('desk.reading', { name: one.name })} value=${one.read?.done} max=${one.read?.total} />`)}</div>`;
