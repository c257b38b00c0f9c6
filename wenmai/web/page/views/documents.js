// @ts-check
/** The collection of documents that all of the user's threads see, in folders. */
import * as documents from '../api/documents.js';
import { elsewhere } from '../api/tabs.js';
import { t } from '../i18n/index.js';
import { html, useEffect, useState } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { ErrorLine } from '../parts/error-line.js';
import { Icon } from '../parts/icon.js';
import { Loader, useLoad } from '../parts/load.js';
import { go, href } from '../router.js';
import { useSignal } from '../signals.js';
import { choose } from './desk/kits.js';
import { Uploads, useDrop } from './desk/documents.js';
import { FolderMenu, foldersOf, made, NewFolder } from './documents/folders.js';
import { Row } from './documents/row.js';
import { adoptJobs, arrivals, failures, send, uploads } from './documents/uploads.js';
import { FileButton } from './shelf/drop-zone.js';

/** @typedef {documents.Document} Document */

/** @param {{ route: import('../router.js').Route }} props */
export default function Documents({ route }) {
  const folder = route.rest[0] ?? null; // all of them
  const arrived = useSignal(arrivals);
  const changed = useSignal(elsewhere);
  const all = useLoad((signal) => documents.list(documents.COLLECTION, signal), [arrived, changed]);
  const [isNew, setNew] = useState(false);
  useEffect(() => adoptJobs(), [changed]);
  const take = (/** @type {Iterable<File>} */ files) => send([...files], { collection: true, ...(folder && { folder }) });
  const { isOver, dropping } = useDrop(take);
  return html`<div class=${isOver ? 'documents stack is-over' : 'documents stack'} ...${dropping}>
    <header class="row documents-head"><div><h1>${folder ?? t('documents.title')}</h1><p class="muted small">${t('documents.hint')}</p></div>
      <div class="row"><button type="button" class="button" onClick=${() => setNew(true)}><${Icon} name="plus" />${t('documents.newFolder')}</button>
        <${FileButton} label=${t('documents.add')} types=${[]} isPrimary isMultiple onFiles=${take} /></div></header>
    <${OnTheWay} />
    <${Loader} of=${all}>${(/** @type {Document[]} */ found) => html`<${Content} all=${found} folder=${folder} onChange=${all.reload} />`}<//>
    ${isNew && html`<${NewFolder} onClose=${() => setNew(false)} />`}
  </div>`;
}

/** Files that are sent and read, and those that were refused. */
function OnTheWay() {
  const running = useSignal(uploads);
  const failed = useSignal(failures);
  return html`<${Uploads} uploads=${running} />
    ${failed.map(({ name, error }) => html`<${ErrorLine} key=${name} error=${error} />`)}`;
}

/** @param {{ all: Document[], folder: string | null, onChange: () => void }} props */
function Content({ all, folder, onChange }) {
  const folders = foldersOf(all, [...useSignal(made), folder]);
  const shown = folder === null ? all : all.filter((one) => one.folder === folder);
  const ask = () => {
    choose(null, { kits: ['documents'], networks: [], folders: folder === null ? [] : [folder] });
    go(href('desk'));
  };
  return html`<nav class="row documents-folders" aria-label=${t('documents.folders')}>
      <${FolderLink} label=${t('documents.everything')} count=${all.length} folder=${null} isHere=${folder === null} />
      ${folders.map((one) => html`<${FolderLink} key=${one} label=${one} count=${all.filter((other) => other.folder === one).length} folder=${one} isHere=${one === folder} />`)}
    </nav>
    ${(shown.length > 0 || folder !== null) && html`
      <div class="row documents-tools"><p class="muted small" role="status">${t('documents.count', { n: shown.length })}</p>
        <div class="row">${shown.length > 0 && html`<button type="button" class="button" onClick=${ask}>${t('documents.ask')}</button>`}
          ${folder !== null && html`<${FolderMenu} folder=${folder} count=${shown.length} onChange=${onChange} />`}</div></div>`}
    ${shown.length === 0 ? html`<${Empty} title=${t('documents.empty')} hint=${t('documents.emptyHint')} />` : html`
      <ul class="documents-list" role="list">${shown.map((one) => html`<${Row} key=${one.id} one=${one} folders=${folders} isPlaced=${folder === null} onChange=${onChange} />`)}</ul>`}`;
}

/** @param {{ label: string, count: number, folder: string | null, isHere: boolean }} props */
const FolderLink = ({ label, count, folder, isHere }) => html`<a class="chip" href=${href('documents', { rest: folder === null ? [] : [folder] })}
  aria-current=${isHere ? 'page' : undefined}><span class="chip-text">${label}</span> <span class="muted">${count}</span></a>`;
