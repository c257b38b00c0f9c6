// @ts-check
import { t } from '../../i18n/index.js';
import { html, useEffect, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { useSignal } from '../../signals.js';
import { BOOK_TYPES, faultOf, filesOf } from './files.js';
import { enqueue, refused } from './pending.js';

/**
 * Where books come in: by a button, or dropped anywhere on the shelf.
 * @param {{ mostMb: number, isLarge: boolean, onSeveral: (files: File[]) => void }} props
 */
export function DropZone({ mostMb, isLarge, onSeveral }) {
  /** @param {readonly File[]} files */
  const take = (files) => {
    const faults = files.map((file) => ({ file, fault: faultOf(file, mostMb) }));
    const good = faults.flatMap(({ file, fault }) => (fault ? [] : [file]));
    refused.value = faults.flatMap(({ file, fault }) => (fault ? [t('shelf.ofFile', { name: file.name, reason: t(fault, { mb: mostMb }) })] : []));
    if (good.length > 1) onSeveral(good);
    else enqueue(good);
  };
  const isOver = useDrop(take);
  return html`<div class="stack">
    <div class=${`shelf-drop${isLarge ? ' is-large' : ''}${isOver ? ' is-over' : ''}`}>
      <${Icon} name="upload" />
      <p>${t(isLarge ? 'shelf.dropFirst' : 'shelf.drop')} <span class="muted small">${t('shelf.types', { mb: mostMb })}</span></p>
      <${FileButton} label=${t('shelf.choose')} types=${BOOK_TYPES} isPrimary=${isLarge} isMultiple onFiles=${take} />
    </div>
    <${Refused} />
  </div>`;
}

/** The files of the last choice that are no books, each with its reason. */
export function Refused() {
  const lines = useSignal(refused);
  return lines.length > 0 && html`<ul class="stack" role="list">${lines.map((line) => html`<li><p class="error-line" role="alert"><span>${line}</span>
    <button type="button" class="icon-button" aria-label=${t('parts.close')} onClick=${() => (refused.value = lines.filter((one) => one !== line))}><${Icon} name="close" /></button></p></li>`)}</ul>`;
}

/**
 * A button that asks for files.
 * @param {{ label: string, types: readonly string[], onFiles: (files: File[]) => void, isPrimary?: boolean, isMultiple?: boolean, isFolder?: boolean, isBusy?: boolean }} props
 */
export function FileButton({ label, types, onFiles, isPrimary = false, isMultiple = false, isFolder = false, isBusy = false }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const chosen = () => {
    const files = [...(input.current?.files ?? [])];
    if (input.current) input.current.value = '';
    if (files.length) onFiles(files);
  };
  return html`<button type="button" class=${isPrimary ? 'button primary' : 'button'} disabled=${isBusy} onClick=${() => input.current?.click()}>${label}</button>
    <input ref=${input} type="file" hidden aria-label=${label} accept=${types.join(',')} multiple=${isMultiple} webkitdirectory=${isFolder} onChange=${chosen} />`;
}

/** Take files that are dropped on the window. @param {(files: File[]) => void} take */
function useDrop(take) {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    /** @param {DragEvent} event */
    const over = (event) => {
      if (!event.dataTransfer?.types.includes('Files') || isElsewhere(event)) return;
      event.preventDefault();
      setOver(true);
    };
    /** @param {DragEvent} event */
    const leave = (event) => event.relatedTarget === null && setOver(false);
    /** @param {DragEvent} event */
    const drop = async (event) => {
      if (!event.dataTransfer?.types.includes('Files') || isElsewhere(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current(await filesOf(event.dataTransfer));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

/** Whether a dialog lies above the shelf. @param {Event} event */
const isElsewhere = (event) => event.target instanceof Element && event.target.closest('dialog') !== null;
