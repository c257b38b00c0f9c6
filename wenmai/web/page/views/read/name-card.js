// @ts-check
/** Who is named, as far as the reader knows, without leaving the page. */
import * as stories from '../../api/stories.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { personHref } from '../../parts/addresses.js';
import { Dialog } from '../../parts/dialog.js';
import { Loader, useLoad } from '../../parts/load.js';
import { href } from '../../router.js';
import { pairsOf } from '../people/pairs.js';
import { edgeText, kindText } from '../people/words.js';

const MOST_TIES = 6;

/** @param {{ library: string, name: string, guard: import('../../store.js').Guard | null, onClose: () => void }} props */
export function NameCard({ library, name, guard, onClose }) {
  const found = useLoad(async (signal) => {
    const [entity, relations] = await Promise.all([stories.entity(library, name, { guard, signal }), stories.relations(library, { guard, signal, query: { entity: name } })]);
    return { entity, relations };
  }, [library, name, guard], guard);
  return html`<${Dialog} title=${name} onClose=${onClose}>
    <${Loader} of=${found}>${(/** @type {{ entity: stories.EntityDetail, relations: stories.Relation[] }} */ { entity, relations }) => html`<div class="stack">
      <p class="muted small">${[kindText(entity.kind), t('people.mentions', { n: entity.mentions }), entity.first_chapter === null ? '' : `${t('people.first')} ${t('parts.chapter', { n: entity.first_chapter })}`].filter(Boolean).join(' · ')}</p>
      ${entity.aliases.length > 0 && html`<p>${t('people.aliases')}${t('people.colon')}${entity.aliases.join(t('people.comma'))}</p>`}
      ${entity.summary ? entity.summary.sentences.map((one) => html`<p>${one.text}</p>`) : entity.description && html`<p>${entity.description}</p>`}
      <${Ties} name=${entity.name} relations=${relations} />
      <div class="row"><a class="button primary" href=${personHref(library, entity.name)}>${t('read.wholeCard')}</a>
        <a class="button quiet" href=${href('desk', { library, query: { quote: entity.name } })}>${t('read.askAbout')}</a></div>
    </div>`}<//>
  <//>`;
}

/** @param {{ name: string, relations: stories.Relation[] }} props */
function Ties({ name, relations }) {
  const pairs = pairsOf(relations).sort((one, other) => other.relations.length - one.relations.length);
  if (pairs.length === 0) return null;
  return html`<ul role="list" class="people-lines">${pairs.slice(0, MOST_TIES).map((one) => html`<li key=${one.id}>
    <span>${one.source === name ? one.target : one.source}</span><span class="muted small">${edgeText(one)}</span></li>`)}</ul>`;
}
