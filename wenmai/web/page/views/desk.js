// @ts-check
/** The desk: the threads of a library, or those without one, and the conversation on one of them. */
import * as threads from '../api/threads.js';
import { t } from '../i18n/index.js';
import { html, useEffect, useRef, useState } from '../lib.js';
import { useShortcuts } from '../parts/keys.js';
import { useLoad } from '../parts/load.js';
import { go, href } from '../router.js';
import { useSignal } from '../signals.js';
import { Conversation } from './desk/conversation.js';
import { Drawer } from './desk/drawer.js';
import { newId } from './desk/ids.js';
import { useSteady } from './desk/steady.js';
import { following, running } from './desk/talks.js';
import { ThreadHead } from './desk/thread-head.js';
import { ThreadList } from './desk/thread-list.js';
import { fresh, keepFresh } from './desk/unsent.js';

/** @param {{ route: import('../router.js').Route }} props */
export default function Desk({ route: { library, rest, query } }) {
  const [isDrawer, setDrawer] = useState(false);
  const busy = useSignal(running);
  const { thread, isNew } = useThread(library, rest[0] ?? null);
  const all = useLoad(useSteady((signal) => threadsOf(library, signal)), [library, busy]);
  const known = all.data?.find((one) => one.id === thread) ?? null;
  const title = useRef({ thread, text: '' });
  if (known || title.current.thread !== thread) title.current = { thread, text: known?.title ?? '' };
  const asked = following(thread).value?.question ?? title.current.text; // of a thread that is not in the list yet, or not any more
  useShortcuts([{ keys: 'n', label: () => t('desk.newThread'), run: () => go(href('desk', { library })) }]);
  const list = html`<${ThreadList} library=${library} current=${thread} all=${all} busy=${busy} onPick=${() => setDrawer(false)} />`;
  return html`<div class="desk">
    <nav class="desk-threads" aria-label=${t('desk.threads')}>${list}</nav>
    ${isDrawer && html`<${Drawer} title=${t('desk.threads')} onClose=${() => setDrawer(false)}>${list}<//>`}
    <div class="desk-page">
      <${ThreadHead} library=${library} thread=${known} asked=${asked} onThreads=${() => setDrawer(true)} onChange=${all.reload} />
      <${Conversation} key=${thread} library=${library} thread=${thread} isNew=${isNew} query=${query} />
    </div>
  </div>`;
}

/**
 * Return the thread of the address; where it names none, the id of one that begins with its first question.
 * @param {string | null} library
 * @param {string | null} named
 */
function useThread(library, named) {
  const begun = useRef({ library, id: fresh(library) ?? newId(), isUsed: false });
  const { current } = begun;
  if (current.library !== library || (named !== current.id && current.isUsed)) begun.current = { library, id: fresh(library) ?? newId(), isUsed: false };
  if (named === begun.current.id) begun.current.isUsed = true;
  const { id, isUsed } = begun.current;
  useEffect(() => keepFresh(library, isUsed ? '' : id), [library, id, isUsed]);
  return { thread: named ?? id, isNew: named === null || named === id };
}

/** @param {string | null} library @param {AbortSignal} signal */
const threadsOf = async (library, signal) =>
  library === null ? (await threads.list({}, signal)).filter((one) => !one.library) : threads.list({ library }, signal);
