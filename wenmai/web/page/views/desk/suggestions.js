// @ts-check
import * as server from '../../api/server.js';
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { useLoad } from '../../parts/load.js';
import { useGuard } from '../../store.js';
import { peopleOf, suggest, suggestOfNetwork } from './suggest.js';

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
    <${Offered} all=${all} onAsk=${onAsk}><p class="muted small">${t('desk.suggestedHint')}</p><//>
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

const MOST_TYPES = 3; // of a network that are looked at

/** @param {AbortSignal} signal @returns {Promise<string[]>} */
async function ofNetworks(signal) {
  const [first] = await server.networks(signal);
  if (!first) return [];
  const { object_types } = await server.network(first.id, signal);
  const types = object_types.slice(0, MOST_TYPES);
  const rows = await Promise.all(types.map((type) => server.networkRows(first.id, type.id, { limit: 1 }, signal)));
  return suggestOfNetwork(types.map((type, at) => ({ type, rows: rows[at].items })));
}

/**
 * What an empty thread says where no book is open.
 * @param {{ hasDocuments: boolean, onAsk: (question: string) => void }} props
 */
export function NoBook({ hasDocuments, onAsk }) {
  const found = useLoad(ofNetworks, []);
  const all = [...(hasDocuments ? [t('desk.whichDocuments')] : []), ...(found.data ?? [])];
  return html`<div class="desk-empty">
    <p class="desk-empty-title">${t('desk.emptyAlone')}</p>
    <p class="muted">${t('desk.emptyAloneHint')}</p>
    <${Offered} all=${all} onAsk=${onAsk} />
  </div>`;
}

/** @param {{ all: readonly string[], onAsk: (question: string) => void, children?: unknown }} props */
const Offered = ({ all, onAsk, children }) => all.length > 0 && html`<p class="muted">${t('desk.suggested')}</p>
  <ul role="list" class="desk-suggestions">${all.map((one) => html`<li key=${one}><button type="button" class="card" onClick=${() => onAsk(one)}>${one}</button></li>`)}</ul>${children}`;
