// @ts-check
import { signIn } from '../api/session.js';
import { t } from '../i18n/index.js';
import { html, useState } from '../lib.js';
import { Dialog } from '../parts/dialog.js';
import { useSignal } from '../signals.js';

const SENDABLE = '\\s*[!-~]+\\s*'; // a header takes no other characters

/** The dialog that asks for the key when a request was refused without one. */
export function SignIn() {
  const request = useSignal(signIn);
  return request && html`<${Form} request=${request} />`;
}

/** @param {{ request: import('../api/session.js').Request }} props */
function Form({ request }) {
  const [given, setGiven] = useState('');
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    request.answer(given);
    setGiven('');
  };
  return html`<${Dialog} title=${t('shell.signIn')} onClose=${() => request.answer(null)}>
    <form class="stack" onSubmit=${submit}>
      <p class="muted" role="status">${t(request.isRefused ? 'shell.keyWrong' : 'shell.keyNeeded')}</p>
      <label class="field"><span>${t('shell.key')}</span>
        <input type="password" autocomplete="current-password" required autofocus pattern=${SENDABLE} title=${t('shell.keyForm')} value=${given}
          onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setGiven(event.target.value)} /></label>
      <p class="muted small">${t('shell.keyHint')}</p>
      <div class="row end"><button type="submit" class="button primary">${t('shell.enter')}</button></div>
    </form>
  <//>`;
}
