// @ts-check
/** The libraries: what is on the shelf, what is on its way there, and the networks. */
import * as libraries from '../api/libraries.js';
import * as server from '../api/server.js';
import { elsewhere } from '../api/tabs.js';
import * as threads from '../api/threads.js';
import { t } from '../i18n/index.js';
import { html, useEffect, useState } from '../lib.js';
import { Later } from '../parts/later.js';
import { Loader, useLoad } from '../parts/load.js';
import { href } from '../router.js';
import { useSignal } from '../signals.js';
import { Book } from './shelf/book.js';
import { DropZone } from './shelf/drop-zone.js';
import { adopt, arrivals, current, imports, shownJobs } from './shelf/imports.js';
import { ImportCard } from './shelf/import-card.js';
import { Networks } from './shelf/networks.js';
import { pending } from './shelf/pending.js';
import { Review } from './shelf/review.js';
import { Together } from './shelf/together.js';
import { Welcome } from './shelf/welcome.js';

/** @typedef {{ books: libraries.Library[], jobs: libraries.Job[], threads: threads.Thread[], me: server.Me, settings: server.Settings }} Found */

/** @param {AbortSignal} signal @returns {Promise<Found>} */
async function load(signal) {
  const [books, jobs, talks, me, settings] = await Promise.all([
    libraries.list(signal), libraries.jobs(signal), threads.list({}, signal), server.me(signal), server.settings(signal),
  ]);
  return { books, jobs, threads: talks, me, settings };
}

/** The libraries; below the address of a network its rows. @param {{ route: import('../router.js').Route }} props */
export default function Shelf({ route }) {
  const [what, network] = route.rest;
  return what === 'networks' && network ? html`<${Later} load=${loadNetwork} key=${network} network=${network} query=${route.query} />` : html`<${Books} />`;
}

const loadNetwork = () => import('./shelf/network.js').then((module) => module.NetworkRows);

function Books() {
  const arrived = useSignal(arrivals);
  const waiting = useSignal(pending);
  const changed = useSignal(elsewhere);
  const all = useLoad(load, [arrived, changed]);
  useEffect(() => {
    if (all.data) adoptJobs(all.data);
  }, [all.data]);
  if (waiting.length > 0) return html`<${Review} books=${all.data?.books ?? []} />`;
  return html`<h1>${t('shelf.title')}</h1>
    <${Loader} of=${all}>${(/** @type {Found} */ found) => html`<${Content} found=${found} onChange=${all.reload} />`}<//>`;
}

/** @param {Found} found */
function adoptJobs({ books, jobs }) {
  const titles = new Map(books.map((book) => [book.name, book.title]));
  for (const job of shownJobs(jobs, [...titles.keys()])) {
    const isKnown = imports.value.some((one) => one.library === job.subject && (one.job === null || one.job.id === job.id || one.phase === 'running'));
    if (!isKnown) adopt(job, titles.get(job.subject) ?? job.subject);
  }
}

/** @param {{ found: Found, onChange: () => void }} props */
function Content({ found, onChange }) {
  const { books, me, settings } = found;
  const running = useSignal(imports);
  const [several, setSeveral] = useState(/** @type {File[]} */ ([]));
  const shown = books.filter((book) => book.passages > 0 || !running.some((one) => one.library === book.name));
  const isFirst = books.length === 0 && running.length === 0;
  const zone = html`<${DropZone} mostMb=${settings.limits.source_mb} isLarge=${isFirst} onSeveral=${setSeveral} />`;
  return html`<div class="stack shelf">
    ${isFirst ? html`<${Welcome} isAdmin=${me.is_admin} settings=${settings}>${zone}<//>` : me.is_admin && zone}
    ${running.length > 0 && html`<ul class="stack" role="list" aria-label=${t('shelf.onTheWay')}>${current(running).map((one) => html`<li key=${one.id}><${ImportCard} one=${one} /></li>`)}</ul>`}
    ${shown.length > 0 && html`<ul class="shelf-books" role="list">${shown.map((book) => html`<${Book} key=${book.name} book=${book} found=${found} onChange=${onChange} />`)}</ul>`}
    <${Networks} isAdmin=${me.is_admin} mostMb=${settings.limits.source_mb} />
    <${Documents} />
    ${several.length > 0 && html`<${Together} files=${several} onClose=${() => setSeveral([])} />`}
  </div>`;
}

const Documents = () => html`<section class="shelf-documents" aria-labelledby="documents-title">
  <header class="row shelf-section"><div><h2 id="documents-title">${t('documents.title')}</h2><p class="muted small">${t('documents.shelfHint')}</p></div>
    <a class="button" href=${href('documents')}>${t('documents.all')}</a></header></section>`;
