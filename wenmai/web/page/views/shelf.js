// @ts-check
import * as libraries from '../api/libraries.js';
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { Loader, useLoad } from '../parts/load.js';
import { href } from '../router.js';

/** The libraries. */
export default function Shelf() {
  const all = useLoad((signal) => libraries.list(signal), []);
  return html`<h1>${t('shelf.title')}</h1>
    <${Loader} of=${all}>${(/** @type {libraries.Library[]} */ found) =>
      found.length ? html`<ul class="shelf-books" role="list">${found.map((one) => html`<${Book} key=${one.name} book=${one} />`)}</ul>`
        : html`<${Empty} title=${t('shelf.empty')} hint=${t('shelf.emptyHint')} />`}<//>`;
}

/** @param {{ book: libraries.Library }} props */
const Book = ({ book }) => html`<li class="card shelf-book">
  <a class="book-title" href=${href('desk', { library: book.name })}>${book.title}</a>
  <p class="muted small">${t('shelf.chapters', { n: book.chapters })}</p>
</li>`;
