// @ts-check
/** What was found: words in the text, people, events, talks; and where each leads. */
import * as stories from '../../api/stories.js';
import * as threads from '../../api/threads.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { ErrorLine } from '../../parts/error-line.js';
import { useLoad } from '../../parts/load.js';
import { plainText } from '../../parts/markdown.js';
import { chapterTitle } from '../../parts/positions.js';
import { href } from '../../router.js';
import { useSignal } from '../../signals.js';
import { guards } from '../../store.js';
import { kindText } from '../people/words.js';
import { chapterHref, personHref, quoteHref } from '../../parts/addresses.js';

/** @typedef {{ library: string | null, guard: import('../../store.js').Guard | null, query: string, isInParts: boolean, onPick: () => void }} Sought */
/** @typedef {{ before: string, quote: string, after: string }} Excerpt */

const FIRST = 8, MORE = 50, MOST_ROWS = 6;
const BEFORE = 26; // characters before the words: on a phone they are in the second line at most

/** @param {Excerpt} props */
function Words({ before, quote, after }) {
  const points = [...before];
  const cut = points.length > BEFORE ? `…${points.slice(-BEFORE).join('')}` : before;
  return html`<span class="find-words">${cut.trimStart()}<mark>${quote}</mark>${after.trimEnd()}</span>`;
}

/** @param {{ title: string, total: number | null, children?: unknown }} props */
const Group = ({ title, total, children }) => html`<section class="find-group"><h3>${title} ${total !== null && html`<span class="muted">${total}</span>`}</h3>${children}</section>`;

/** Where the very words stand; the passages nearest to them where they stand nowhere. @param {Sought & { library: string }} props */
export function InText({ library, guard, query, isInParts, onPick }) {
  const [limit, setLimit] = useState(FIRST);
  const found = useLoad((signal) => stories.find(library, { guard, signal, query: { q: query, limit } }), [library, guard, query, limit], guard);
  if (found.error) return html`<${ErrorLine} error=${found.error} onRetry=${found.reload} />`;
  if (!found.data) return null;
  const { items, total } = found.data;
  if (total === 0) return html`<${Nearest} library=${library} guard=${guard} query=${query} isInParts=${isInParts} onPick=${onPick} />`;
  return html`<${Group} title=${t('find.text')} total=${total}>
    <ul role="list">${items.map((one) => html`<li key=${`${one.source} ${one.part} ${one.chapter} ${one.copy_number} ${one.start}`}>
      <a class="find-row" href=${chapterHref(library, one, { at: one.start, to: one.end })} onClick=${onPick}><${Words} ...${one} /><span class="muted small">${chapterTitle(one, isInParts)}</span></a></li>`)}</ul>
    ${items.length < total && html`<button type="button" class="button quiet" onClick=${() => setLimit(limit === FIRST ? MORE : limit + MORE)}>${t('find.more', { n: total - items.length })}</button>`}
  <//>`;
}

/** @param {Sought & { library: string }} props */
function Nearest({ library, guard, query, isInParts, onPick }) {
  const found = useLoad((signal) => stories.nearest(library, { guard, signal, query: { q: query } }), [library, guard, query], guard);
  if (found.error) return html`<${ErrorLine} error=${found.error} onRetry=${found.reload} />`;
  if (!found.data?.length) return html`<p class="muted small" role="status">${found.data ? t('find.noText') : t('find.remembering')}</p>`;
  return html`<${Group} title=${t('find.nearest')} total=${null}>
    <p class="muted small">${t('find.nearestHint')}</p>
    <ul role="list">${found.data.map((one) => html`<li key=${one.id}><a class="find-row" href=${quoteHref(library, one) ?? href('read', { library })} onClick=${onPick}>
      <span class="find-words">${one.text}</span><span class="muted small">${chapterTitle(one, isInParts)}</span></a></li>`)}</ul>
  <//>`;
}

/** @param {Sought & { library: string }} props */
export function InPeople({ library, guard, query, onPick }) {
  const found = useLoad((signal) => stories.foundEntities(library, { guard, signal, query: { q: query, limit: MOST_ROWS } }), [library, guard, query], guard);
  if (found.error) return html`<${ErrorLine} error=${found.error} onRetry=${found.reload} />`;
  if (!found.data?.total) return null;
  return html`<${Group} title=${t('find.people')} total=${found.data.total}>
    <ul role="list">${found.data.items.map((one) => html`<li key=${one.name}><a class="find-row" href=${personHref(library, one.name)} onClick=${onPick}>
      <span><strong>${one.name}</strong>${one.aliases.length > 0 && html` <span class="muted">${one.aliases.join(t('people.comma'))}</span>`}</span><span class="muted small">${kindText(one.kind)} · ${t('people.mentions', { n: one.mentions })}</span></a></li>`)}</ul>
  <//>`;
}

/** @param {Sought & { library: string }} props */
export function InEvents({ library, guard, query, onPick }) {
  const found = useLoad((signal) => stories.foundEvents(library, { guard, signal, query: { q: query, limit: MOST_ROWS } }), [library, guard, query], guard);
  if (found.error) return html`<${ErrorLine} error=${found.error} onRetry=${found.reload} />`;
  if (!found.data?.total) return null;
  return html`<${Group} title=${t('find.events')} total=${found.data.total}>
    <ul role="list">${found.data.items.map((one) => html`<li key=${one.id}>
      <a class="find-row" href=${eventHref(library, one)} onClick=${onPick}><strong>${one.name}</strong><span class="muted small">${one.summary}</span></a></li>`)}</ul>
  <//>`;
}

/** An event leads to its words in the book, or to the view of its person. @param {string} library @param {stories.StoryEvent} event */
function eventHref(library, { text_source, part, chapter, start, evidence, primary_character }) {
  const end = typeof start === 'number' ? start + [...evidence].length : null;
  return (typeof start === 'number' && quoteHref(library, { source: text_source, part, chapter, start, end })) || href('events', { library, query: { of: primary_character } });
}

/**
 * Return the turns that show nothing from beyond a guard where no book's guard was asked for: those about a book that is read to a place are left out.
 * @template {{ library?: string | null }} T
 * @param {readonly T[]} items
 * @param {Readonly<Record<string, unknown>>} known  the guards
 */
export const unguarded = (items, known) => items.filter((one) => !one.library || !Object.hasOwn(known, one.library));

/** @param {Sought} props */
export function InTalks({ library, guard, query, onPick }) {
  const known = useSignal(guards);
  const found = useLoad((signal) => threads.search(query, library, guard, signal), [library, guard, query], guard);
  if (found.error) return html`<${ErrorLine} error=${found.error} onRetry=${found.reload} />`;
  const items = library === null ? unguarded(found.data?.items ?? [], known) : found.data?.items ?? [];
  if (!found.data || items.length === 0) return null;
  return html`<${Group} title=${t('find.talks')} total=${items.length === found.data.items.length ? found.data.total : null}>
    <ul role="list">${items.slice(0, MOST_ROWS).map((one, index) => html`<li key=${index}>
      <a class="find-row" href=${href('desk', { library: one.library ?? null, rest: [one.thread_id], query: { turn: one.number } })} onClick=${onPick}><${Words} before=${plainText(one.before)} quote=${one.quote} after=${plainText(one.after)} /><span class="muted small">${one.title}</span></a></li>`)}</ul>
  <//>`;
}
