// @ts-check
/** What Wenmai is and how one begins, for who has no book yet: a book of one's own, the sample, a model, other sources. */
import * as libraries from '../../api/libraries.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { language } from '../../store.js';
import { adopt } from './imports.js';

/** @param {{ isAdmin: boolean, settings: import('../../api/server.js').Settings, children?: unknown }} props  children: where one's own book comes in */
export function Welcome({ isAdmin, settings, children }) {
  const spoken = useSignal(language);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const trySample = () => libraries.sample(spoken).then((job) => {
    adopt(job, t('shelf.sampleTitle'));
    setTimeout(focusImport);
  }, setError);
  const hasModel = settings.mind === 'model';
  return html`<section class="shelf-welcome">
    <div class="shelf-opening"><div><p class="shelf-lead">${t('shelf.lead')}</p>
      <p class="muted">${t(isAdmin ? 'shelf.leadHint' : 'shelf.askAdmin')}</p></div><${Example} /></div>
    ${error && html`<${ErrorLine} error=${error} />`}
    <div class="shelf-ways">
      ${isAdmin && html`<div class="shelf-way-own">${children}</div>
        <${Way} icon="read" title=${t('shelf.waySample')} text=${t('shelf.waySampleHint')}><button type="button" class="button" onClick=${trySample}>${t('shelf.trySample')}</button><//>`}
      <${Way} icon="settings" title=${t(hasModel ? 'shelf.wayModelOn' : 'shelf.wayModel')} text=${hasModel ? t('shelf.wayModelOnHint', { model: settings.model ?? '' }) : t('shelf.wayModelHint')}>
        <a class="button" href=${href('settings')}>${t('shelf.toSettings')}</a><//>
      <${Way} icon="attach" title=${t('shelf.wayAlone')} text=${t('shelf.wayAloneHint')}><a class="button" href=${href('desk')}>${t('shelf.askAlone')}</a><//>
    </div>
  </section>`;
}

/** @param {{ icon: import('../../parts/icon.js').IconName, title: string, text: string, children?: unknown }} props */
const Way = ({ icon, title, text, children }) => html`<section class="card shelf-way"><h2><${Icon} name=${icon} />${title}</h2><p class="muted small">${text}</p><div>${children}</div></section>`;

/** What an answer looks like: one from the sample. */
const Example = () => html`<figure class="shelf-example"><figcaption class="muted small">${t('shelf.example')}</figcaption>
  <p class="shelf-example-question">${t('shelf.exampleQuestion')}</p><p>${t('shelf.exampleAnswer')} <span class="shelf-example-mark" aria-hidden="true">1</span></p>
  <blockquote class="small">${t('shelf.exampleQuote')}</blockquote></figure>`;

/** The button is gone with the welcome: the keyboard goes on at what it began. */
function focusImport() {
  const title = document.querySelector('.shelf-import h2');
  if (title instanceof HTMLElement) title.focus();
}
