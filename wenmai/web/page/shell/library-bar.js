// @ts-check
import * as libraries from '../api/libraries.js';
import { t } from '../i18n/index.js';
import { html, useEffect } from '../lib.js';
import { GuardBar } from '../parts/guard-bar.js';
import { useLoad } from '../parts/load.js';
import { href } from '../router.js';
import { signal } from '../signals.js';
import { useGuard } from '../store.js';

/** The title of the open book, '' until it is known. */
export const bookTitle = signal('');

/** The open book, and how far its reader is. @param {{ library: string }} props */
export function LibraryBar({ library }) {
  const guard = useGuard(library);
  const { data } = useLoad((signal) => libraries.get(library, guard, signal), [library, guard]);
  useEffect(() => {
    bookTitle.value = data?.title ?? '';
  }, [data]);
  return html`<div class="library-bar">
    <span class="library-title">${data?.title ?? library}</span>
    <${GuardBar} library=${library} />
  </div>`;
}

/** What stands there at a desk without a book. */
export const NoBookBar = () => html`<div class="library-bar">
  <span class="library-title">${t('shell.noBook')}</span>
  <a class="button quiet" href=${href('shelf')}>${t('shell.toShelf')}</a>
</div>`;
