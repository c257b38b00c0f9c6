// @ts-check
/** One person: names, first appearance, chapters, relations, events, and what can be mended. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Loader, useLoad } from '../../parts/load.js';
import { SideCard } from '../../parts/side-card.js';
import { href } from '../../router.js';
import { useGuard } from '../../store.js';
import { firstOf, steps } from './counts.js';
import { Mending } from './mending.js';
import { pairsOf } from './pairs.js';
import { Sparkline } from './sparkline.js';
import { edgeText, kindText, placeOf } from './words.js';

const MOST_TIES = 30, MOST_EVENTS = 30;

/** @typedef {import('../../parts/evidence-drawer.js').Piece} Piece */
/** @typedef {{ title: string, pieces: Piece[] }} Passages */
/** @typedef {{ library: string, name: string, known: import('./data.js').Known, linkOf: (name: string) => string, onPair: (id: string) => void,
 *   onPassages: (passages: Passages) => void, onFocus: () => void, onChanged: () => void, onNarrator: () => void, onClose: () => void }} Props */

/** @param {Props} props */
export function Card(props) {
  const { library, name, known, onClose } = props;
  const guard = useGuard(library);
  const listed = known.entities.find((one) => one.name === name);
  const detail = useLoad((signal) => (listed ? stories.entity(library, name, { guard, signal }) : Promise.resolve(null)), [library, name, guard, listed], guard);
  return html`<${SideCard} title=${name} onClose=${onClose}>
    ${!listed ? html`<p class="muted">${t('people.notYet')}</p>` : html`
      <${Facts} entity=${listed} known=${known} />
      <button type="button" class="button" onClick=${props.onFocus}>${t('people.around')}</button>
      <${Loader} of=${detail}>${(/** @type {stories.EntityDetail | null} */ one) => one && html`
        ${one.description && html`<p class="people-description">${one.description}</p>`}
        ${one.summary && html`<section class="people-description" title=${t('people.summaryBy')}>
          <span class="muted small">${t('people.asOf', { place: placeOf(one.summary, known.hasParts) })}</span>
          ${one.summary.sentences.map((row) => html`<p>${row.text}</p>`)}</section>`}
        <${Mending} library=${library} entity=${one} known=${known} onChanged=${props.onChanged} onNarrator=${props.onNarrator} />`}<//>
      <${Ties} ...${props} />
      <${Events} ...${props} />`}
  <//>`;
}

/** @param {{ entity: stories.Entity, known: import('./data.js').Known }} props */
function Facts({ entity, known }) {
  const values = steps(known.places, known.counts.get(entity.name) ?? []);
  const first = placeOf(firstOf(known.counts.get(entity.name) ?? []), known.hasParts);
  return html`<dl class="people-facts">
    <div><dt>${t('people.kind')}</dt><dd>${kindText(entity.kind)}</dd></div>
    <div><dt>${t('people.first')}</dt><dd>${first}</dd></div>
    ${entity.aliases.length > 0 && html`<div><dt>${t('people.aliases')}</dt><dd>${entity.aliases.join(t('people.comma'))}</dd></div>`}
    <div><dt>${t('people.chapters')}</dt><dd>${t('people.mentions', { n: entity.mentions })}
      <${Sparkline} values=${values} width=${240} height=${40} label=${t('people.sparkLabel', { name: entity.name, n: values.filter(Boolean).length, of: values.length })} /></dd></div>
  </dl>`;
}

/** @param {Props} props */
function Ties({ name, known, linkOf, onPair }) {
  const pairs = pairsOf(known.relations.filter((one) => one.source === name || one.target === name));
  pairs.sort((one, other) => other.relations.length - one.relations.length);
  if (pairs.length === 0) return null;
  const other = (/** @type {import('./pairs.js').Pair} */ one) => (one.source === name ? one.target : one.source);
  return html`<section><h3>${t('people.relations')} <span class="muted">${pairs.length}</span></h3>
    <ul role="list" class="people-lines">${pairs.slice(0, MOST_TIES).map((one) => html`<li key=${one.id}>
      <a href=${linkOf(other(one))}>${other(one)}</a>
      <button type="button" class="button quiet people-line" aria-label=${t('people.passagesOf', { one: other(one), what: edgeText(one) })} onClick=${() => onPair(one.id)}>${edgeText(one)}</button></li>`)}</ul>
    ${pairs.length > MOST_TIES && html`<p class="muted small">${t('people.andMore', { n: pairs.length - MOST_TIES })}</p>`}</section>`;
}

/** @param {Props} props */
function Events({ library, name, known, onPassages }) {
  const guard = useGuard(library);
  const events = useLoad((signal) => stories.events(library, { guard, signal, query: { entity: name } }), [library, name, guard], guard);
  const show = (/** @type {stories.StoryEvent} */ one) => onPassages({ title: one.name, pieces: [
    { id: one.id, label: one.name, place: placeOf(one, known.hasParts), quote: one.evidence, note: one.summary }] });
  return html`<${Loader} of=${events}>${(/** @type {stories.StoryEvent[]} */ found) => found.length > 0 && html`
    <section><h3>${t('people.events')} <span class="muted">${found.length}</span></h3>
    <ul role="list" class="people-lines">${found.slice(0, MOST_EVENTS).map((one) => html`<li key=${one.id}>
      <span class="muted small">${placeOf(one, known.hasParts)}</span><button type="button" class="button quiet people-line" onClick=${() => show(one)}>${one.name}</button></li>`)}</ul>
    <a href=${href('events', { library, query: { of: name } })}>${t('people.allEvents')}</a></section>`}<//>`;
}
