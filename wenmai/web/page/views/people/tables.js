// @ts-check
/** Aliases, relations and events from files, for a book that is there. */
import * as libraries from '../../api/libraries.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Progress } from '../../parts/progress.js';
import { toast } from '../../parts/toast.js';
import { FileButton } from '../shelf/drop-zone.js';
import { TABLE_TYPES } from '../shelf/files.js';
import { useChange } from './mending.js';

/** @param {{ library: string, onChanged: () => void, onClose: () => void }} props */
export function AddTables({ library, onChanged, onClose }) {
  const { error, isBusy, change } = useChange(onChanged);
  const [bad, setBad] = useState(/** @type {string[]} */ ([]));
  /** @param {readonly File[]} files */
  const add = (files) => change(async () => {
    const form = new FormData();
    for (const file of files) form.append('file', file, file.name);
    const done = await libraries.addTables(library, form);
    toast(t('people.tablesDone', { names: done.names, relations: done.relations, events: done.events }));
    setBad(done.bad);
    if (done.bad.length === 0) onClose();
  });
  return html`<${Dialog} title=${t('people.addTables')} onClose=${onClose}>
    <p>${t('people.tablesHint')}</p>
    <ul class="people-shapes small muted"><li>${t('people.shapeAliases')}</li><li>${t('people.shapeRelations')}</li><li>${t('people.shapeEvents')}</li></ul>
    ${error && html`<${ErrorLine} error=${error} />`}
    ${bad.length > 0 && html`<div role="status"><p>${t('people.tablesBad', { n: bad.length })}</p><ul class="small">${bad.map((row) => html`<li>${row}</li>`)}</ul></div>`}
    ${isBusy && html`<${Progress} label=${t('people.tablesReading')} />`}
    <div class="row end"><${FileButton} label=${t('people.chooseTables')} types=${TABLE_TYPES} isPrimary isMultiple isBusy=${isBusy} onFiles=${add} /></div>
  <//>`;
}
