// @ts-check
/** What finds more people, relations and events in a book, and the ways there. */
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { href } from '../router.js';

/** @param {{ library: string, isAdmin: boolean }} props */
export const MoreFound = ({ library, isAdmin }) => html`<div class="more-found small">
  <p class="muted">${t(isAdmin ? 'parts.moreFound' : 'parts.moreFoundReader')}</p>
  ${isAdmin && html`<p class="row"><a class="button quiet" href=${href('people', { library, query: { add: 'tables' } })}>${t('people.addTables')}</a>
    <a class="button quiet" href=${href('settings')}>${t('parts.toModel')}</a></p>`}
</div>`;
