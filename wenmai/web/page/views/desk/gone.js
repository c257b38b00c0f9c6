// @ts-check
/** A thread or a book that was deleted in another tab, or by somebody else: nothing is asked then. */
import * as libraries from '../../api/libraries.js';
import * as threads from '../../api/threads.js';
import { ApiError } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { href } from '../../router.js';

/** @typedef {{ what: 'thread' | 'library', question: string | null }} Gone  question: the one that was not asked */

const MISSING = 404;

/** What was said of the thread is not there any more. */
class ThreadGone extends ApiError {}

/** @param {unknown} error */
export const isMissing = (error) => error instanceof ApiError && error.status === MISSING;

/** Fail where a thread is not there: a question would begin it anew, without what was said before. @param {string} thread @param {AbortSignal} signal */
export async function demand(thread, signal) {
  try {
    await threads.get(thread, signal);
  } catch (error) {
    throw isMissing(error) ? new ThreadGone(MISSING, '') : error;
  }
}

/**
 * Return what a question failed for because it is deleted; null where it failed for something else, or did not.
 * @param {import('./live.js').Live | null} asked
 * @param {string | null} library
 * @returns {Promise<Gone['what'] | null>}
 */
export async function whatIsGone(asked, library) {
  if (asked?.phase !== 'failed' || !isMissing(asked.error)) return null;
  if (asked.error instanceof ThreadGone) return 'thread';
  if (library === null) return null;
  return libraries.get(library, null).then(() => null, (error) => (isMissing(error) ? 'library' : null));
}

/** @param {{ gone: Gone, title: string, library: string | null, onAsk: (question: string) => void }} props */
export function GoneNote({ gone: { what, question }, title, library, onAsk }) {
  const text = what === 'thread' ? t('desk.threadGone') : t('desk.bookGone', { title });
  return html`<p class="desk-note desk-gone" role="alert"><span>${text}${question !== null && ` ${t('desk.notAsked')}`}</span>
    ${what === 'library' ? html`<a class="button quiet" href=${href('shelf')}>${t('shell.toShelf')}</a>`
      : question !== null ? html`<button type="button" class="button quiet" onClick=${() => onAsk(question)}>${t('desk.askAnew')}</button>`
        : html`<a class="button quiet" href=${href('desk', { library })}>${t('desk.newThread')}</a>`}</p>`;
}
