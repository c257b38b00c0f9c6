// @ts-check
/** The way to the box that finds: a button, `/` and Ctrl+K, at every place. */
import { t } from '../i18n/index.js';
import { html, useEffect, useState } from '../lib.js';
import { Dialog } from '../parts/dialog.js';
import { ErrorLine } from '../parts/error-line.js';
import { Icon } from '../parts/icon.js';
import { useShortcuts } from '../parts/keys.js';
import { useSignal } from '../signals.js';
import { library } from '../store.js';

/** @typedef {(props: { library: string | null, onClose: () => void }) => unknown} Box */

export function Find() {
  const [isOpen, setOpen] = useState(false);
  const [box, setBox] = useState(/** @type {{ component: Box } | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const open = useSignal(library);
  const find = () => setOpen(true);
  useShortcuts([{ keys: '/', label: () => t('shell.find'), run: find }, { keys: 'Ctrl+K', label: () => t('shell.find'), run: find }]);
  const close = () => setOpen(false);
  const load = () => import('../views/find/box.js').then((module) => (setBox({ component: module.default }), setError(null)), setError);
  useEffect(() => {
    if (isOpen && box === null) void load();
  }, [isOpen]);
  return html`<button type="button" class="find-button" aria-label=${t('shell.find')} title=${t('shell.find')} onClick=${find}><${Icon} name="search" /><span class="find-hint">${t('shell.findShort')}</span><kbd>/</kbd></button>
    ${isOpen && box !== null && html`<${box.component} library=${open} onClose=${close} />`}
    ${isOpen && box === null && error && html`<${Dialog} title=${t('shell.find')} onClose=${close}><${ErrorLine} error=${error} onRetry=${load} /><//>`}`;
}
