// @ts-check
/** The book from the chapter of a citation on, with its words marked; never beyond the guard, which the list of chapters obeys. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useMemo, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { Loader, useLoad } from '../../parts/load.js';
import { chapterTitle, hasParts } from '../../parts/positions.js';
import { useGuard } from '../../store.js';
import { chapterOf, pieces, rangeOf } from './places.js';

/** @typedef {import('../../api/threads.js').Citation} Citation */
/** @typedef {stories.ChapterPlace} ChapterPlace */
/** @typedef {import('../../api/threads.js').EvidencePiece['kind']} Kind */

const NEAR = 80; // pixels from the end at which the next chapter comes

/**
 * @param {{ library: string, chapters: ChapterPlace[], at: number, citation: Citation, others: Citation[], kind: Kind }} props
 */
export function Reader({ library, chapters, at, citation, others, kind }) {
  const [shown, setShown] = useState({ first: at, last: at });
  const [isFollowed, setFollowed] = useState(true);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    setFollowed(true);
    setShown((now) => (at >= now.first && at <= now.last ? now : { first: at, last: at }));
  }, [at, citation]);
  /** @param {number} index */
  const open = (index) => {
    setFollowed(false);
    setShown({ first: index, last: index });
    box.current?.scrollTo({ top: 0 });
  };
  const titleOf = (/** @type {ChapterPlace} */ one) => chapterTitle(one, hasParts(chapters));
  const { first, last } = at >= shown.first || !isFollowed ? shown : { first: at, last: at };
  return html`<div class="desk-reader" ref=${box} tabindex=${0} role="region" aria-label=${titleOf(chapters[at])}>
    <div class="desk-reader-bar"><span class="desk-kind">${t(`desk.kind_${kind}`)}</span>
      <select aria-label=${t('desk.chapters')} value=${first} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => open(Number(event.target.value))}>
        ${chapters.map((one, index) => html`<option value=${index}>${titleOf(one)}</option>`)}</select></div>
    ${first > 0 && html`<button type="button" class="button quiet" onClick=${() => (setFollowed(false), setShown({ first: first - 1, last }))}>${t('desk.readBack', { title: titleOf(chapters[first - 1]) })}</button>`}
    ${chapters.slice(first, last + 1).map((one, index) => html`<${Chapter} key=${first + index} library=${library} place=${one} title=${titleOf(one)} box=${box}
      cited=${others.filter((other) => chapterOf(chapters, other) === first + index)} current=${isFollowed && first + index === at ? citation : null} />`)}
    ${last + 1 < chapters.length ? html`<${Onward} key=${last} box=${box} title=${titleOf(chapters[last + 1])} onReach=${() => setShown((now) => ({ ...now, last: Math.max(now.last, last + 1) }))} />`
      : html`<p class="muted small">${t('desk.end')}</p>`}
  </div>`;
}

/** A chapter with its quotes marked. @param {{ library: string, place: ChapterPlace, title: string, cited: Citation[], current: Citation | null, box: { current: HTMLElement | null } }} props */
function Chapter({ library, place, title, cited, current, box }) {
  const guard = useGuard(library);
  const text = useLoad((signal) => stories.chapterText(library, /** @type {stories.ChapterKey} */ (place), { guard, signal }), [library, guard, place.source, place.part, place.chapter, place.copy_number], guard);
  return html`<section class="desk-chapter"><h3>${title}</h3><${Summary} library=${library} place=${place} />
    <${Loader} of=${text}>${(/** @type {stories.ChapterText} */ found) => html`<${Text} text=${found.text} cited=${cited} current=${current} box=${box} />`}<//>
  </section>`;
}

/** What a model wrote of a chapter, closed; nothing where none did. @param {{ library: string, place: ChapterPlace }} props */
function Summary({ library, place: { source, part, chapter } }) {
  const guard = useGuard(library);
  const read = (/** @type {AbortSignal} */ signal) => (chapter === null ? Promise.resolve([]) : stories.summaries(library, { guard, signal, query: { kind: 'chapter', part, chapter } }));
  const { data } = useLoad(read, [library, guard, part, chapter], guard);
  const found = data?.find((one) => one.text_source === source);
  return found ? html`<details class="muted small"><summary title=${t('desk.summaryBy')}>${t('desk.summary')}</summary>${found.sentences.map((row) => html`<p>${row.text}</p>`)}</details>` : null;
}

/** @param {{ text: string, cited: Citation[], current: Citation | null, box: { current: HTMLElement | null } }} props */
function Text({ text, cited, current, box }) {
  const points = useMemo(() => [...text], [text]);
  const here = current && rangeOf(points, current);
  const wanted = [current, ...cited].flatMap((one) => (one ? [rangeOf(points, one)] : [])).filter((one) => one !== null);
  const cut = pieces(points, /** @type {import('./places.js').Range[]} */ (wanted));
  const paragraph = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (current) reveal(box.current, paragraph.current?.querySelector('mark.is-current') ?? null);
  }, [current, text]);
  return html`${current && !here && html`<p class="desk-note">${t('desk.moved')}</p>`}
    <p class="book-text" ref=${paragraph}>${cut.map((one) => (one.n === null ? one.text
      : html`<mark class=${here && one.n === here.n ? 'is-current' : ''}>${one.text}</mark>`))}</p>`;
}

/** Scroll a mark to the upper third of its box. @param {HTMLElement | null} box @param {Element | null} mark */
function reveal(box, mark) {
  if (!box || !mark) return;
  const from = box.getBoundingClientRect();
  box.scrollTop += mark.getBoundingClientRect().top - from.top - from.height / 3;
}

/** The way to the next chapter: it comes when it is scrolled to, or by a click. @param {{ box: { current: HTMLElement | null }, title: string, onReach: () => void }} props */
function Onward({ box, title, onReach }) {
  useEffect(() => {
    const root = box.current;
    const onScroll = () => {
      if (root && root.scrollHeight - root.scrollTop - root.clientHeight < NEAR) onReach();
    };
    root?.addEventListener('scroll', onScroll, { passive: true });
    return () => root?.removeEventListener('scroll', onScroll);
  }, [onReach]);
  return html`<button type="button" class="button" onClick=${onReach}>${t('desk.readOn', { title })}<${Icon} name="down" /></button>`;
}
