// @ts-check
/** A book on the shelf. */
import * as libraries from '../../api/libraries.js';
import { errorText } from '../../api/problems.js';
import { date, t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { Menu } from '../../parts/menu.js';
import { toast } from '../../parts/toast.js';
import { href } from '../../router.js';
import { useGuard } from '../../store.js';
import { Deletion } from './deletion.js';
import { Sources, textsOf } from './sources.js';
import { Summary } from './summary.js';

/** @typedef {import('../../api/libraries.js').Library} Library */
/** @typedef {import('../shelf.js').Found} Found */

/** @param {{ book: Library, found: Found, onChange: () => void }} props */
export function Book({ book, found, onChange }) {
  const guard = useGuard(book.name);
  const [open, setOpen] = useState(/** @type {'delete' | 'sources' | 'summary' | 'rename' | null} */ (null));
  const close = () => setOpen(null);
  const talks = found.threads.filter((one) => one.library === book.name).sort((one, other) => other.updated_at.localeCompare(one.updated_at));
  const report = found.jobs.find((job) => job.kind === 'ingest' && job.subject === book.name && job.state === 'done');
  return html`<li class="card shelf-book">
    <div class="shelf-book-head">
      <a class="book-title" href=${href(book.passages ? 'read' : 'desk', { library: book.name })}>${book.title}</a>
      ${found.me.is_admin && html`<${Menu} label=${t('shelf.menu', { title: book.title })} items=${[
        { label: t('shelf.manage'), onSelect: () => setOpen('sources') },
        { label: t('shelf.renameBook'), onSelect: () => setOpen('rename') },
        ...(report ? [{ label: t('shelf.summary'), onSelect: () => setOpen('summary') }] : []),
        { label: t('shelf.delete'), onSelect: () => setOpen('delete'), isDanger: true },
      ]} />`}
    </div>
    ${book.authors.length > 0 && html`<p class="small">${book.authors.join(t('people.comma'))}</p>`}
    <p class="muted small">${sizes(book).join(' · ')}</p>
    ${book.problem && html`<p class="review-odd"><${Icon} name="warning" /><span>${book.problem}</span></p>`}
    ${book.warning && html`<p class="review-odd"><${Icon} name="warning" /><span>${book.warning}</span></p>`}
    ${book.passages === 0 && html`<p class="muted small">${t('shelf.noText')}</p>`}
    <p class="shelf-book-foot small"><a class="shelf-go" href=${href('desk', { library: book.name, rest: talks.length ? [talks[0].id] : [] })}>${t(talks.length ? 'shelf.continue' : 'shelf.start')}<${Icon} name="right" /></a>
      ${book.passages > 0 && html`<a class="shelf-go" href=${href('read', { library: book.name })}>${t('shelf.read')}<${Icon} name="right" /></a>`}
      <span class="muted">${talks.length ? date(talks[0].updated_at) : guard ? t('shelf.readTo', { n: guard.chapter }) : ''}</span></p>
    ${open === 'delete' && html`<${Deletion} book=${book} talks=${talks} onClose=${close} onChange=${onChange} />`}
    ${open === 'sources' && html`<${Sources} book=${book} mostMb=${found.settings.limits.source_mb} onClose=${close} onChange=${onChange} />`}
    ${open === 'rename' && html`<${Rename} book=${book} onClose=${close} onChange=${onChange} />`}
    ${open === 'summary' && report && html`<${Dialog} title=${book.title} onClose=${close}><${Summary} library=${book.name} result=${report.result} /><//>`}
  </li>`;
}

/** @param {{ book: Library, onClose: () => void, onChange: () => void }} props */
function Rename({ book, onClose, onChange }) {
  const [title, setTitle] = useState(book.title);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /** @param {Event} event */
  const rename = async (event) => {
    event.preventDefault();
    try {
      await libraries.rename(book.name, title.trim());
      toast(t('shelf.renamed', { title: title.trim() }), { undo: () => libraries.rename(book.name, book.title).then(onChange, (failure) => toast(errorText(failure))) });
      onClose();
      onChange();
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<${Dialog} title=${t('shelf.renameBook')} onClose=${onClose}><form class="stack" onSubmit=${rename}>
    <label class="field"><span>${t('shelf.bookTitle')}</span><input type="text" required maxlength="200" value=${title}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => (setTitle(event.target.value), setError(null))} /></label>
    ${error && html`<${ErrorLine} error=${error} />`}
    <div class="row end"><button type="button" class="button quiet" onClick=${onClose}>${t('parts.cancel')}</button>
      <button type="submit" class="button primary" disabled=${!title.trim() || title.trim() === book.title}>${t('shelf.apply')}</button></div></form><//>`;
}

/** @param {Library} book */
function sizes(book) {
  const parts = [t('shelf.chapters', { n: book.chapters }), t('shelf.passages', { n: book.passages })];
  const texts = textsOf(book.sources);
  if (texts.length > 1) parts.unshift(t('shelf.texts', { n: texts.length }));
  if (book.entities) parts.push(t('shelf.people', { n: book.entities }));
  return parts;
}
