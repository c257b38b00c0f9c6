// @ts-check
/** The table of contents, up to the guard; thousands of chapters are drawn as far as they are seen. */
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { beside, chapterHref, isHidden } from '../../parts/addresses.js';
import { hasParts } from '../../parts/positions.js';

/** @typedef {import('../../api/stories.js').ChapterPlace} ChapterPlace */
/** @typedef {{ index: number, place: ChapterPlace } | { index: number, part: number }} Row */

const ROW = 40;
const MANY = 12; // chapters from which on they can be sought

/**
 * Return the rows: chapters, and before those of each part its number where there are several.
 * @param {readonly ChapterPlace[]} chapters
 * @param {import('../../store.js').Guard | null} guard
 * @param {string} [sought] only chapters with this in their title, or with this number
 * @returns {Row[]}
 */
export function rowsOf(chapters, guard, sought = '') {
  const wanted = sought.trim().toLowerCase();
  const isInParts = hasParts(chapters);
  const seen = chapters.flatMap((place, index) => {
    const isWanted = !wanted || place.title.toLowerCase().includes(wanted) || String(place.chapter) === wanted;
    return isWanted && !isHidden(place, guard) ? [{ index, place }] : [];
  });
  return seen.flatMap((one, at) => (isInParts && one.place.part !== seen[at - 1]?.place.part ? [{ index: one.index, part: one.place.part }, one] : [one]));
}

/**
 * @param {{ library: string, chapters: ChapterPlace[], current: number, guard: import('../../store.js').Guard | null, onPick: () => void, onReadOn: (index: number) => void }} props
 */
export function Contents({ library, chapters, current, guard, onPick, onReadOn }) {
  const [sought, setSought] = useState('');
  const rows = rowsOf(chapters, guard, sought);
  const seen = chapters.filter((one) => !isHidden(one, guard));
  const hidden = chapters.length - seen.length;
  const following = seen.length ? beside(chapters, chapters.lastIndexOf(seen[seen.length - 1]), guard, 1) : -1;
  const at = rows.findIndex((one) => 'place' in one && one.index === current);
  const row = (/** @type {Row} */ one) => ('part' in one ? html`<span class="read-part">${t('read.part', { n: one.part })}</span>`
    : html`<a class="read-entry" href=${chapterHref(library, one.place)} aria-current=${one.index === current ? 'page' : undefined} title=${one.place.title} onClick=${onPick}>${one.place.title || t('read.untitled')}</a>`);
  return html`<div class="read-contents">
    ${chapters.length > MANY && html`<input type="search" aria-label=${t('read.seek')} placeholder=${t('read.seek')} value=${sought}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setSought(event.target.value)} />`}
    ${rows.length ? html`<${VirtualList} items=${rows} rowHeight=${ROW} row=${row} label=${t('read.contents')} showIndex=${at < 0 || sought ? undefined : at}
      keyOf=${(/** @type {Row} */ one) => ('part' in one ? `part ${one.index}` : String(one.index))} />` : html`<p class="muted small">${t(sought ? 'read.noneSought' : 'read.noneYet')}</p>`}
    ${hidden > 0 && html`<div class="read-hidden small"><p class="muted">${t('read.hidden', { n: hidden })}</p>
      ${following >= 0 && html`<button type="button" class="button quiet" onClick=${() => onReadOn(following)}>${t('read.readOnTo', { n: Number(chapters[following].chapter) })}</button>`}</div>`}
  </div>`;
}
