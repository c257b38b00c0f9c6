// @ts-check
/** What people have decided on the names of a library: all of it, each taken back by itself, however long ago it was made. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Loader, useLoad } from '../../parts/load.js';
import { useGuard } from '../../store.js';
import { useChange } from './mending.js';
import { kindText } from './words.js';

/** @param {stories.Change} change */
function changeText({ what, name, into, kind, part, first, last }) {
  const who = name ?? t('people.narratorNobody');
  if (what !== 'narrator') return t(`people.change_${what}`, { name: who, into: into ?? '', kind: kind ? kindText(kind) : '' });
  const bounds = [part === null || part === undefined ? '' : t('people.partOnly', { part }), first || last ? t('people.chaptersFromTo', { from: first ?? '…', to: last ?? '…' }) : ''];
  return [t('people.change_narrator', { name: who }), ...bounds].filter(Boolean).join(' · ');
}

/** @param {{ library: string, onChanged: () => void, onClose: () => void }} props */
export function Changes({ library, onChanged, onClose }) {
  const guard = useGuard(library);
  const all = useLoad((signal) => stories.changes(library, { guard, signal }), [library, guard], guard);
  const { error, isBusy, change } = useChange(() => {
    all.reload();
    onChanged();
  });
  return html`<${Dialog} title=${t('people.changes')} onClose=${onClose}>
    ${error && html`<${ErrorLine} error=${error} />`}
    ${guard ? html`<p class="muted">${t('people.changesGuarded')}</p>` : html`<${Loader} of=${all}>${(/** @type {stories.Change[]} */ found) => (found.length === 0
      ? html`<p class="muted">${t('people.noChanges')}</p>`
      : html`<p class="muted small">${t('people.changesHint')}</p><ul role="list" class="people-lines">${found.map((one) => html`<li key=${one.id}><span>${changeText(one)}</span>
        <button type="button" class="button quiet" disabled=${isBusy} aria-label=${t('people.undoOf', { what: changeText(one) })} onClick=${() => change(() => stories.undoChange(library, one.id))}>${t('parts.undo')}</button></li>`)}</ul>`)}<//>`}
  <//>`;
}
