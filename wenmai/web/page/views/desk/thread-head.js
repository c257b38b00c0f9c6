// @ts-check
/** The title of the thread and what can be done with it. */
import * as threads from '../../api/threads.js';
import { errorText } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icon.js';
import { Menu } from '../../parts/menu.js';
import { print } from '../../parts/printing.js';
import { save } from '../../parts/save.js';
import { toast } from '../../parts/toast.js';
import { goOn, href, route } from '../../router.js';
import { useGuard } from '../../store.js';
import { releaseAll } from './lost.js';
import { forget } from './talks.js';

/** @typedef {threads.Thread} Thread */
/** @typedef {{ library: string | null, thread: Thread, onChange: () => void, onClose: () => void }} Asking */

const UNFIT = /[\\/:*?"<>|\p{Cc}]+/gu; // for the name of a file

/** @param {{ library: string | null, thread: Thread | null, asked: string, onThreads: () => void, onChange: () => void }} props */
export function ThreadHead({ library, thread, asked, onThreads, onChange }) {
  const [open, setOpen] = useState(/** @type {'rename' | 'delete' | null} */ (null));
  const guard = useGuard(thread?.library ?? library);
  const onClose = () => setOpen(null);
  return html`<header class="desk-head">
    <button type="button" class="icon-button desk-threads-button" aria-label=${t('desk.threads')} onClick=${onThreads}><${Icon} name="list" /></button>
    <h1 title=${thread?.title}>${thread?.title ?? (asked || t('desk.newThread'))}</h1>
    ${thread && html`<${Menu} label=${t('desk.threadMenu', { title: thread.title })} items=${[
      { label: t('desk.rename'), onSelect: () => setOpen('rename') },
      { label: t('parts.print'), onSelect: print },
      { label: t('desk.export'), onSelect: () => download(thread, guard) },
      { label: t('desk.delete'), onSelect: () => setOpen('delete'), isDanger: true },
    ]} />`}
    ${thread && open === 'rename' && html`<${Rename} library=${library} thread=${thread} onChange=${onChange} onClose=${onClose} />`}
    ${thread && open === 'delete' && html`<${Remove} library=${library} thread=${thread} onChange=${onChange} onClose=${onClose} />`}
  </header>`;
}

/** @param {Thread} thread @param {import('../../store.js').Guard | null} guard */
const download = (thread, guard) => tried(async () => save(await threads.markdown(thread.id, guard), `${fileName(thread.title)}.md`));

/** @param {string} title */
const fileName = (title) => title.replace(UNFIT, ' ').trim().slice(0, 60) || 'thread';

/** @param {() => Promise<unknown>} act */
async function tried(act) {
  try {
    await act();
  } catch (error) {
    toast(errorText(error));
  }
}

/** @param {Asking} props */
function Rename({ thread, onChange, onClose }) {
  const [title, setTitle] = useState(thread.title);
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    onClose();
    return tried(async () => {
      const { title: given } = await threads.rename(thread.id, title.trim());
      onChange();
      toast(t('desk.renamed', { title: given }), { undo: () => tried(async () => (await threads.rename(thread.id, thread.title), onChange())) });
    });
  };
  return html`<${Dialog} title=${t('desk.rename')} onClose=${onClose}>
    <form class="stack" onSubmit=${submit}>
      <label class="field"><span>${t('desk.title')}</span><input required maxlength="200" value=${title}
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setTitle(event.target.value)} /></label>
      <div class="row end"><button type="submit" class="button primary" disabled=${!title.trim()}>${t('desk.save')}</button></div>
    </form>
  <//>`;
}

/** @param {Asking} props */
function Remove({ library, thread, onChange, onClose }) {
  const remove = () => {
    const from = route.value;
    onClose();
    return tried(async () => {
      await threads.remove(thread.id);
      releaseAll(thread.id);
      forget(thread.id);
      goOn(from, href('desk', { library }));
      onChange();
      toast(t('desk.deleted', { title: thread.title }));
    });
  };
  return html`<${Confirm} title=${t('desk.deleteTitle')} text=${t('desk.deleteText', { title: thread.title })} action=${t('desk.delete')}
    onConfirm=${remove} onClose=${onClose} />`;
}
