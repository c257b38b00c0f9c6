// @ts-check
/** The book, a chapter a page: from where its reader was last, and never beyond the guard without a click. */
import * as libraries from '../api/libraries.js';
import * as stories from '../api/stories.js';
import { t } from '../i18n/index.js';
import { html, useLayoutEffect, useRef, useState } from '../lib.js';
import { beside, chapterHref, chapterOfAddress, indexOfChapter, isHidden } from '../parts/addresses.js';
import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { useShortcuts } from '../parts/keys.js';
import { Loader, useLoad } from '../parts/load.js';
import { hasParts } from '../parts/positions.js';
import { toast } from '../parts/toast.js';
import { go, href } from '../router.js';
import { setGuard, useGuard } from '../store.js';
import { Drawer } from './desk/drawer.js';
import { ChapterText } from './read/chapter.js';
import { Contents } from './read/contents.js';
import { LooksBar } from './read/looks.js';

/** @typedef {import('../router.js').Route} Route */
/** @typedef {import('../store.js').Guard} Guard */
/** @typedef {{ chapters: stories.ChapterPlace[], place: stories.KeptPlace | null, language: 'zh' | 'en' }} Book */

/** @param {{ route: Route }} props */
export default function Read({ route }) {
  const library = /** @type {string} */ (route.library);
  const book = useLoad(async (signal) => {
    const [chapters, place, { language }] = await Promise.all([
      stories.chapters(library, { signal }), stories.place(library, { signal }), libraries.get(library, null, signal)]);
    return { chapters, place, language: language === 'en' ? 'en' : 'zh' };
  }, [library]);
  return html`<${Loader} of=${book}>${(/** @type {Book} */ known) => (known.chapters.length === 0 ? html`<h1 class="visually-hidden">${t('shell.read')}</h1><${Empty} title=${t('read.empty')} />`
    : html`<${Opened} route=${route} library=${library} book=${known} />`)}<//>`;
}

/** @param {{ route: Route, library: string, book: Book }} props */
function Opened({ route, library, book }) {
  const guard = useGuard(library);
  const [isDrawer, setDrawer] = useState(false);
  const kept = useRef(book.place);
  const { chapters } = book;
  const wanted = chapterOfAddress(route.rest);
  const index = wanted ? indexOfChapter(chapters, wanted, route.query.title) : startOf(chapters, kept.current, guard);
  useLayoutEffect(() => { // before the reader can go on to another chapter
    if (!wanted && index >= 0) go(chapterHref(library, chapters[index]), { replace: true });
  }, [route.rest.join('/')]);
  const readOn = (/** @type {number} */ next) => {
    setDrawer(false);
    const { part, chapter } = chapters[next];
    if (chapter !== null && isHidden(chapters[next], guard)) setGuard(library, { part, chapter });
    go(chapterHref(library, chapters[next]));
  };
  const contents = html`<${Contents} library=${library} chapters=${chapters} current=${index} guard=${guard} onPick=${() => setDrawer(false)} onReadOn=${readOn} />`;
  return html`<div class=${`read is-${book.language}`}>
    <nav class="read-side" aria-label=${t('read.contents')}>${contents}</nav>
    ${isDrawer && html`<${Drawer} title=${t('read.contents')} onClose=${() => setDrawer(false)}>${contents}<//>`}
    ${index < 0 ? html`<div><h1 class="visually-hidden">${t('shell.read')}</h1><${Empty} title=${t('read.noChapter')}><a class="button" href=${href('read', { library })}>${t('read.fromPlace')}</a><//></div>`
      : html`<${Page} key=${index} library=${library} chapters=${chapters} index=${index} guard=${guard} query=${route.query} kept=${kept} language=${book.language} onContents=${() => setDrawer(true)} onReadOn=${readOn} />`}
  </div>`;
}

/** Where a reader begins. @param {stories.ChapterPlace[]} chapters @param {stories.KeptPlace | null} place @param {Guard | null} guard */
function startOf(chapters, place, guard) {
  const at = place ? indexOfChapter(chapters, /** @type {stories.ChapterKey} */ (place)) : -1;
  if (at >= 0 && !isHidden(chapters[at], guard)) return at;
  return Math.max(0, chapters.findIndex((one) => !isHidden(one, guard)));
}

/**
 * @param {{ library: string, chapters: stories.ChapterPlace[], index: number, guard: Guard | null, query: Record<string, string>, language: 'zh' | 'en',
 *   kept: { current: stories.KeptPlace | null }, onContents: () => void, onReadOn: (index: number) => void }} props
 */
function Page({ library, chapters, index, guard, query, language, kept, onContents, onReadOn }) {
  const place = chapters[index];
  const [earlier, after] = [beside(chapters, index, guard, -1), beside(chapters, index, guard, 1)];
  const before = earlier >= 0 && !isHidden(chapters[earlier], guard) ? earlier : -1; // going back moves no guard
  useShortcuts([
    { keys: '[', label: () => t('read.previous'), run: () => before >= 0 && onReadOn(before) },
    { keys: ']', label: () => t('read.next'), run: () => after >= 0 && !isHidden(chapters[after], guard) && onReadOn(after) },
  ]);
  const isBeyond = isHidden(place, guard);
  const ofPart = hasParts(chapters) ? `${t('read.part', { n: place.part })} · ` : '';
  return html`<article class="read-page">
    <header class="read-head">
      <div class="read-bar">
        <button type="button" class="button quiet read-contents-button" onClick=${onContents}><${Icon} name="list" />${t('read.contents')}</button>
        <span class="muted small read-where">${ofPart}${t('read.where', { n: index + 1, of: chapters.length, characters: place.characters })}</span>
        <${LooksBar} />
      </div>
      <h1>${isBeyond ? t('read.beyondTitle') : place.title || t('read.untitled')}</h1>
    </header>
    ${isBeyond ? html`<${Beyond} place=${place} onReadOn=${() => onReadOn(index)} />`
      : html`<div lang=${language === 'en' ? 'en' : 'zh-Hans'}><${Body} library=${library} place=${place} guard=${guard} query=${query} kept=${kept} /></div>`}
    ${!isBeyond && html`<${Foot} library=${library} chapters=${chapters} index=${index} guard=${guard} before=${before} after=${after} onReadOn=${onReadOn} />`}
  </article>`;
}

/** @param {{ library: string, place: stories.ChapterPlace, guard: Guard | null, query: Record<string, string>, kept: { current: stories.KeptPlace | null } }} props */
function Body({ library, place, guard, query, kept }) {
  const text = useLoad((signal) => stories.chapterText(library, /** @type {stories.ChapterKey} */ (place), { guard, signal }), [library]); // a chapter within the guard is the same under any
  const number = (/** @type {string | undefined} */ value) => (value !== undefined && /^\d+$/.test(value) ? Number(value) : null);
  const { source, part, chapter, copy_number } = place;
  const isHere = kept.current !== null && kept.current.source === source && kept.current.part === part && kept.current.chapter === chapter && (kept.current.copy_number ?? 0) === (copy_number ?? 0);
  const start = useRef(isHere ? kept.current?.start ?? 0 : 0);
  const onPlace = (/** @type {number} */ now) => { kept.current = { source, part, chapter: chapter ?? null, copy_number: copy_number ?? 0, start: now, changed_at: new Date().toISOString() }; };
  return html`<${Loader} of=${text}>${(/** @type {stories.ChapterText} */ found) => html`<${ChapterText} library=${library} place=${place} guard=${guard} text=${found.text}
    at=${number(query.at)} to=${number(query.to)} start=${start.current} onPlace=${onPlace} />`}<//>`;
}

/** A chapter that lies behind the guard. @param {{ place: stories.ChapterPlace, onReadOn: () => void }} props */
function Beyond({ place, onReadOn }) {
  return html`<div class="desk-note"><span>${t(place.chapter === null ? 'read.beyondNumberless' : 'read.beyond')}</span>
    ${place.chapter !== null && html`<button type="button" class="button" onClick=${onReadOn}>${t('read.readOnTo', { n: place.chapter })}</button>`}</div>`;
}

/** @param {{ library: string, chapters: stories.ChapterPlace[], index: number, guard: Guard | null, before: number, after: number, onReadOn: (index: number) => void }} props */
function Foot({ library, chapters, index, guard, before, after, onReadOn }) {
  const { part, chapter } = chapters[index];
  const isUpTo = guard !== null && guard.part === part && guard.chapter === chapter;
  const upTo = () => {
    setGuard(library, chapter === null ? null : { part, chapter });
    toast(t('read.upToDone', { title: chapters[index].title }), { undo: () => setGuard(library, guard) });
  };
  return html`<footer class="read-foot">
    ${chapter !== null && html`<p class="row center">${isUpTo ? html`<span class="muted small"><${Icon} name="check" /> ${t('read.isUpTo')}</span>`
      : html`<button type="button" class="button" onClick=${upTo}><${Icon} name="eye" />${t('read.upTo')}</button>`}</p>`}
    <nav class="read-beside" aria-label=${t('read.chapters')}>
      ${before >= 0 ? html`<a class="button" rel="prev" href=${chapterHref(library, chapters[before])}><${Icon} name="left" /><span>${chapters[before].title || t('read.untitled')}</span></a>` : html`<span></span>`}
      ${after < 0 ? html`<span class="muted small">${t('read.end')}</span>` : isHidden(chapters[after], guard)
        ? html`<button type="button" class="button" onClick=${() => onReadOn(after)}><span>${t('read.readOnTo', { n: Number(chapters[after].chapter) })}</span><${Icon} name="right" /></button>`
        : html`<a class="button" rel="next" href=${chapterHref(library, chapters[after])}><span>${chapters[after].title || t('read.untitled')}</span><${Icon} name="right" /></a>`}
    </nav>
  </footer>`;
}
