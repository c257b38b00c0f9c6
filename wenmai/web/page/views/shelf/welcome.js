// @ts-check
import * as libraries from '../../api/libraries.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { ErrorLine } from '../../parts/error-line.js';
import { href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { language } from '../../store.js';
import { adopt } from './imports.js';

/** What Wenmai is, for who has no book yet. @param {{ isAdmin: boolean }} props */
export function Welcome({ isAdmin }) {
  const spoken = useSignal(language);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const trySample = () => libraries.sample(spoken).then((job) => {
    adopt(job, t('shelf.sampleTitle'));
    setTimeout(focusImport);
  }, setError);
  return html`<section class="shelf-welcome">
    <p class="shelf-lead">${t('shelf.lead')}</p>
    <p class="muted">${t(isAdmin ? 'shelf.leadHint' : 'shelf.askAdmin')}</p>
    <p class="row">${isAdmin && html`<button type="button" class="button" onClick=${trySample}>${t('shelf.trySample')}</button>`}
      <a class="button" href=${href('desk')}>${t('shelf.askAlone')}</a></p>
    ${error && html`<${ErrorLine} error=${error} />`}
  </section>`;
}

/** The button is gone with the welcome: the keyboard goes on at what it began. */
function focusImport() {
  const title = document.querySelector('.shelf-import h2');
  if (title instanceof HTMLElement) title.focus();
}
