// @ts-check
/** The threads of a library, the newest first. */
import { t, date } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { Loader } from '../../parts/load.js';
import { href } from '../../router.js';

/** @typedef {import('../../api/threads.js').Thread} Thread */

/**
 * @param {{ library: string | null, current: string, all: import('../../parts/load.js').Loaded<Thread[]>, busy: string[],
 *   onPick: () => void }} props
 */
export function ThreadList({ library, current, all, busy, onPick }) {
  const [sought, setSought] = useState('');
  return html`<div class="desk-list">
    <a class="button" href=${href('desk', { library })} onClick=${onPick}><${Icon} name="plus" />${t('desk.newThread')}</a>
    ${Boolean(all.data?.length) && html`<input type="search" aria-label=${t('desk.search')} placeholder=${t('desk.search')} value=${sought}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setSought(event.target.value)} />`}
    <${Loader} of=${all}>${(/** @type {Thread[]} */ found) => html`<${Found} library=${library} current=${current} busy=${busy} onPick=${onPick}
      found=${named(found, sought)} nothing=${found.length ? t('desk.noMatch', { q: sought }) : t('desk.noThreads')} />`}<//>
  </div>`;
}

/** @param {readonly Thread[]} all @param {string} sought */
export const named = (all, sought) => all.filter((one) => one.title.toLowerCase().includes(sought.trim().toLowerCase()));

/** @param {{ library: string | null, current: string, busy: string[], found: Thread[], nothing: string, onPick: () => void }} props */
function Found({ library, current, busy, found, nothing, onPick }) {
  if (found.length === 0) return html`<p class="muted small desk-no-threads">${nothing}</p>`;
  return html`<ul role="list">${found.map((one) => html`<li key=${one.id}>
    <a class="desk-thread" href=${href('desk', { library, rest: [one.id] })} aria-current=${one.id === current ? 'page' : undefined} onClick=${onPick}>
      <span class="desk-thread-title">${one.title}</span>
      <span class="muted small">${busy.includes(one.id) ? t('desk.running') : date(one.updated_at)}</span>
    </a></li>`)}</ul>`;
}
