// @ts-check
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { useLoad } from '../../parts/load.js';
import { useGuard } from '../../store.js';
import { peopleOf, suggest } from './suggest.js';

/**
 * What an empty thread offers.
 * @param {{ library: string, book: import('../../api/libraries.js').Library, onAsk: (question: string) => void }} props
 */
export function Suggestions({ library, book, onAsk }) {
  const guard = useGuard(library);
  const known = useLoad(async (signal) => {
    const [entities, events, chapters] = await Promise.all([stories.entities, stories.events, stories.chapters].map((read) => read(library, { guard, signal })));
    return { entities, events, chapters, related: await relatedTo(library, /** @type {any} */ (entities), guard, signal) };
  }, [library, guard], guard);
  const all = known.data ? suggest(book.language === 'en' ? 'en' : 'zh', /** @type {any} */ (known.data)) : [];
  return html`<div class="desk-empty">
    <p class="desk-empty-title">${t('desk.empty', { title: book.title })}</p>
    ${all.length > 0 && html`<p class="muted">${t('desk.suggested')}</p>
      <ul role="list" class="desk-suggestions">${all.map((one) => html`<li key=${one}><button type="button" class="card" onClick=${() => onAsk(one)}>${one}</button></li>`)}</ul>
      <p class="muted small">${t('desk.suggestedHint')}</p>`}
  </div>`;
}

/**
 * Return whom the first of the people has a relation to.
 * @param {string} library
 * @param {stories.Entity[]} entities
 * @param {import('../../store.js').Guard | null} guard
 * @param {AbortSignal} signal
 */
async function relatedTo(library, entities, guard, signal) {
  const [first] = peopleOf(entities);
  const found = first ? await stories.relations(library, { guard, signal, query: { entity: first } }) : [];
  return found.flatMap((one) => [one.source, one.target]);
}

/** What an empty thread says where no book is open. */
export const NoBook = () => html`<div class="desk-empty">
  <p class="desk-empty-title">${t('desk.emptyAlone')}</p>
  <p class="muted">${t('desk.emptyAloneHint')}</p>
</div>`;
