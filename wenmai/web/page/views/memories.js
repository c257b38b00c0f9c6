// @ts-check
import * as memories from '../api/memories.js';
import { date, t } from '../i18n/index.js';
import { html } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { Loader, useLoad } from '../parts/load.js';

/** What is remembered of the user. */
export default function Memories() {
  const all = useLoad((signal) => memories.list({}, signal), []);
  return html`<h1>${t('memories.title')}</h1>
    <${Loader} of=${all}>${(/** @type {memories.Memory[]} */ found) => found.length === 0 ? html`<${Empty} title=${t('memories.empty')} />`
      : html`<ul>${found.map((one) => html`<li key=${one.key}>${one.content} <span class="muted small">${date(one.created_at)}</span></li>`)}</ul>`}<//>`;
}
