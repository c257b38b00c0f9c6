// @ts-check
import * as stories from '../api/stories.js';
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { Loader, useLoad } from '../parts/load.js';
import { VirtualList } from '../parts/virtual-list.js';
import { useGuard } from '../store.js';

const ROW = 44;

/** The characters of a library. @param {{ route: import('../router.js').Route }} props */
export default function People({ route }) {
  const library = /** @type {string} */ (route.library);
  const guard = useGuard(library);
  const all = useLoad((signal) => stories.entities(library, { guard, signal }), [library, guard]);
  return html`<h1>${t('people.title')}</h1>
    <${Loader} of=${all}>${(/** @type {stories.Entity[]} */ found) => found.length === 0 ? html`<${Empty} title=${t('people.empty')} />`
      : html`<${VirtualList} items=${found} rowHeight=${ROW} label=${t('people.title')} keyOf=${nameOf} row=${row} />`}<//>`;
}

/** @param {stories.Entity} one */
const nameOf = (one) => one.name;

/** @param {stories.Entity} one */
const row = (one) => html`<span class="row"><strong>${one.name}</strong><span class="muted">${t('people.mentions', { n: one.mentions })}</span></span>`;
