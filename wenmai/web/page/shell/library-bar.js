// @ts-check
import * as libraries from '../api/libraries.js';
import { html } from '../lib.js';
import { GuardBar } from '../parts/guard-bar.js';
import { useLoad } from '../parts/load.js';
import { useGuard } from '../store.js';

/** The open book, and how far its reader is. @param {{ library: string }} props */
export function LibraryBar({ library }) {
  const guard = useGuard(library);
  const { data } = useLoad((signal) => libraries.get(library, guard, signal), [library, guard]);
  return html`<div class="library-bar">
    <span class="library-title">${data?.title ?? library}</span>
    <${GuardBar} library=${library} />
  </div>`;
}
