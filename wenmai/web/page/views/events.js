// @ts-check
import * as stories from '../api/stories.js';
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { Loader, useLoad } from '../parts/load.js';
import { useGuard } from '../store.js';

/** The events of a library. @param {{ route: import('../router.js').Route }} props */
export default function Events({ route }) {
  const library = /** @type {string} */ (route.library);
  const guard = useGuard(library);
  const all = useLoad((signal) => stories.events(library, { guard, signal }), [library, guard]);
  return html`<h1>${t('events.title')}</h1>
    <${Loader} of=${all}>${(/** @type {stories.StoryEvent[]} */ found) => found.length === 0 ? html`<${Empty} title=${t('events.empty')} />`
      : html`<ol>${found.map((one) => html`<li key=${one.id}>${one.name}</li>`)}</ol>`}<//>`;
}
