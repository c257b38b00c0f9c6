// @ts-check
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { useSignal } from '../signals.js';
import { Dialog } from './dialog.js';
import { shortcuts } from './keys.js';

/** The list of all shortcuts that work now. @param {{ onClose: () => void }} props */
export function KeyboardHelp({ onClose }) {
  return html`<${Dialog} title=${t('shell.help')} onClose=${onClose}>
    <dl class="keys">
      ${useSignal(shortcuts).map((one) => html`<div><dt>${one.keys.split(' ').map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${one.label()}</dd></div>`)}
    </dl>
  <//>`;
}
