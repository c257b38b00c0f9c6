// @ts-check
import { t } from '../../i18n/index.js';
import { html, useEffect, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { toast } from '../../parts/toast.js';
import { BOOK_TYPES, faultOf, filesOf } from './files.js';
import { enqueue } from './pending.js';

/** @typedef {{ name: string, fault: import('./files.js').Key }} Refused */

/**
 * Where books come in: by a button, or dropped anywhere on the shelf.
 * @param {{ mostMb: number, isLarge: boolean, onSeveral: (files: File[]) => void }} props
 */
export function DropZone({ mostMb, isLarge, onSeveral }) {
  const [refused, setRefused] = useState(/** @type {Refused[]} */ ([]));
  /** @param {readonly File[]} files */
  const take = (files) => {
    const faults = files.map((file) => ({ file, fault: faultOf(file, mostMb) }));
    const bad = faults.flatMap(({ file, fault }) => (fault ? [{ name: file.name, fault }] : []));
    const good = faults.flatMap(({ file, fault }) => (fault ? [] : [file]));
    setRefused(bad);
    if (good.length > 0) for (const one of bad) toast(saidOf(one, mostMb)); // the preview takes the place of the list
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
    ${refused.length > 0 && html`<ul class="stack" role="list">${refused.map((one) => html`<li><p class="error-line" role="alert">
      <span>${saidOf(one, mostMb)}</span></p></li>`)}</ul>`}
  </div>`;
}

/** @param {Refused} refused @param {number} mostMb */
const saidOf = ({ name, fault }, mostMb) => t('shelf.ofFile', { name, reason: t(fault, { mb: mostMb }) });

/**
 * A button that asks for files.
 * @param {{ label: string, types: readonly string[], onFiles: (files: File[]) => void, isPrimary?: boolean, isMultiple?: boolean, isFolder?: boolean }} props
 */
export function FileButton({ label, types, onFiles, isPrimary = false, isMultiple = false, isFolder = false }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const chosen = () => {
    const files = [...(input.current?.files ?? [])];
    if (input.current) input.current.value = '';
    if (files.length) onFiles(files);
  };
  return html`<button type="button" class=${isPrimary ? 'button primary' : 'button'} onClick=${() => input.current?.click()}>${label}</button>
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
