// @ts-check
import { t } from '../i18n/index.js';
import { html, useMemo, useState } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { EvidenceDrawer } from '../parts/evidence-drawer.js';
import { Loader, useLoad } from '../parts/load.js';
import { MoreFound } from '../parts/more-found.js';
import { Tabs } from '../parts/tabs.js';
import { go, href, route as shown } from '../router.js';
import { useGuard } from '../store.js';
import { Card } from './people/card.js';
import { Changes } from './people/changes.js';
import { load } from './people/data.js';
import { Filters } from './people/filters.js';
import { setHidden, useHidden } from './people/hidden.js';
import { Narrators } from './people/narrators.js';
import { castOf, isUnspecific, pairsOf, typesOf, UNKNOWN_KIND, unspecific } from './people/pairs.js';
import { Picture } from './people/picture.js';
import { People as Table } from './people/table.js';
import { AddTables } from './people/tables.js';
import { Ties } from './people/ties.js';
import { edgeText, placeOf, typeText } from './people/words.js';

const USUAL = 40, USUAL_ON_PHONES = 20;
const SHOWS = /** @type {const} */ (['picture', 'table', 'list']);

/** @typedef {import('./people/data.js').Known} Known */
/** @typedef {import('../router.js').Route} Route */
/** @typedef {{ what: 'narrators', of: string | null } | { what: 'changes' } | { what: 'tables' }} Mended  the dialog that is open */

/** The cast of a library: who is tied to whom, everybody as a table, each on a card. @param {{ route: Route }} props */
export default function People({ route }) {
  const library = /** @type {string} */ (route.library);
  const guard = useGuard(library);
  const all = useLoad((signal) => load(library, { guard, signal }), [library, guard], guard);
  const [open, setOpen] = useState(/** @type {Mended | null} */ (null));
  const close = () => setOpen(null);
  const { add, ...query } = route.query;
  const isAdding = add === 'tables'; // where another place leads here for them
  const closeTables = () => (isAdding ? go(href('people', { library, rest: route.rest, query }), { replace: true }) : close());
  const isAdmin = Boolean(all.data?.isAdmin);
  const canMend = isAdmin && Boolean(all.data?.entities.length);
  return html`<header class="people-head row"><h1>${t('people.title')}</h1>
      ${isAdmin && html`<div class="row">${canMend && html`<button type="button" class="button quiet" onClick=${() => setOpen({ what: 'narrators', of: null })}>${t('people.narrators')}</button>
        <button type="button" class="button quiet" onClick=${() => setOpen({ what: 'changes' })}>${t('people.changes')}</button>`}
        <button type="button" class="button quiet" onClick=${() => setOpen({ what: 'tables' })}>${t('people.addTables')}</button></div>`}</header>
    ${canMend && open?.what === 'narrators' && html`<${Narrators} library=${library} known=${all.data} of=${open.of} onChanged=${all.reload} onClose=${close} />`}
    ${open?.what === 'changes' && html`<${Changes} library=${library} onChanged=${all.reload} onClose=${close} />`}
    ${(open?.what === 'tables' || (isAdding && isAdmin)) && html`<${AddTables} library=${library} onChanged=${all.reload} onClose=${closeTables} />`}
    <${Loader} of=${all}>${(/** @type {Known} */ known) => (known.entities.length === 0 ? html`<${Empty} title=${t('people.empty')} hint=${t(guard ? 'people.emptyGuarded' : 'people.emptyHint')}>
        ${!guard && html`<${MoreFound} library=${library} isAdmin=${known.isAdmin} />`}<//>`
      : html`<${Cast} route=${route} library=${library} known=${known} onChanged=${all.reload}
        onNarrator=${(/** @type {string} */ name) => setOpen({ what: 'narrators', of: name })} />`)}<//>`;
}

/** The addresses of the view: who is on the card, what is shown, whose surroundings. @param {Route} route @param {string} library */
function places(route, library) {
  const selected = route.rest[0] ?? null;
  const to = (/** @type {string | null} */ name, /** @type {Record<string, string | undefined>} */ query = {}) => href('people', { library, rest: name === null ? [] : [name], query: { ...route.query, ...query } });
  return { selected, to, show: SHOWS.find((one) => one === route.query.show) ?? 'picture', focus: route.query.of ?? null };
}

/** @param {{ route: Route, library: string, known: Known, onChanged: () => void, onNarrator: (name: string) => void }} props */
function Cast({ route, library, known, onChanged, onNarrator }) {
  const { selected, to, show, focus } = places(route, library);
  const hidden = useHidden(library);
  const [passages, setPassages] = useState(/** @type {import('./people/card.js').Passages | null} */ (null));
  const onPair = (/** @type {string} */ id) => {
    const pair = pairsOf(known.relations).find((one) => one.id === id);
    if (pair) setPassages(passagesOf(pair, known.hasParts));
  };
  const changed = (/** @type {string | undefined} */ name) => {
    if (name !== undefined && shown.value.view === route.view && shown.value.library === library) go(to(name), { replace: true });
    onChanged();
  };
  const tabs = SHOWS.map((id) => ({ id, label: t(`people.${id}`) }));
  return html`<div class=${selected === null ? 'people' : 'people has-card'}>
    <${Tabs} label=${t('people.title')} tabs=${tabs} selected=${show} onSelect=${(/** @type {string} */ id) => go(to(selected, { show: id }), { replace: true })}>
      ${show === 'table' ? html`<${Table} known=${known} hidden=${hidden} linkOf=${to} selected=${selected} />`
        : html`<${Drawn} library=${library} known=${known} hidden=${hidden} isList=${show === 'list'} focus=${focus} selected=${selected} onPair=${onPair}
          onFocus=${(/** @type {string | null} */ name) => go(to(selected, { of: name ?? undefined }))} onSelect=${(/** @type {string | null} */ name) => name !== selected && go(to(name))} />`}
      <${Hidden} library=${library} hidden=${hidden} />
    <//>
    ${selected !== null && html`<${Card} key=${selected} library=${library} name=${selected} known=${known} linkOf=${to} onPair=${onPair} onPassages=${setPassages}
      onFocus=${() => go(to(selected, { of: selected, show: 'picture' }))} onChanged=${changed} onNarrator=${() => onNarrator(selected)} onClose=${() => go(to(null))} />`}
    ${passages && html`<${EvidenceDrawer} library=${library} title=${passages.title} pieces=${passages.pieces} onClose=${() => setPassages(null)} />`}
  </div>`;
}

/**
 * The picture or its list, with what they leave out.
 * @param {{ library: string, known: Known, hidden: ReadonlySet<string>, isList: boolean, focus: string | null, selected: string | null, onPair: (id: string) => void,
 *   onFocus: (name: string | null) => void, onSelect: (name: string | null) => void }} props
 */
function Drawn({ library, known, hidden, isList, focus, selected, onPair, onFocus, onSelect }) {
  const [chosen, setChosen] = useState(() => ({ kinds: /** @type {ReadonlySet<string>} */ (new Set()), types: /** @type {ReadonlySet<string> | null} */ (null), most: matchMedia('(max-width: 40rem)').matches ? USUAL_ON_PHONES : USUAL }));
  const settings = useMemo(() => ({ ...chosen, types: chosen.types ?? unspecific(known.relations) }), [chosen, known]);
  const hiddenNames = [...hidden].join('\n');
  const cast = useMemo(() => castOf(known.entities, known.relations, { ...settings, hidden, focus }), [known, settings, hiddenNames, focus]);
  const kinds = useMemo(() => kindsOf(known), [known]);
  const isTied = known.relations.length > 0;
  const isVague = isTied && isUnspecific(known.relations);
  const guard = useGuard(library);
  const tied = known.entities.filter((one) => known.degrees.has(one.name));
  return html`<div class="people-drawn">
    <${Filters} settings=${settings} onChange=${setChosen} kinds=${kinds} types=${typesOf(known.relations)} focus=${focus} onFocus=${onFocus} people=${tied} />
    ${!isTied && html`<div role="status"><p>${t(guard ? 'people.untiedGuarded' : 'people.untied')}</p>${!guard && html`<${MoreFound} library=${library} isAdmin=${known.isAdmin} />`}</div>`}
    ${isList ? isTied && html`<${Ties} pairs=${cast.pairs} onPair=${onPair} />`
      : html`<${Picture} isAlone cast=${cast} selected=${selected} onNode=${onSelect} onPair=${onPair} onNothing=${() => onSelect(null)} name=${t('people.picture')} />`}
    ${isVague && html`<p class="muted small">${t('people.vague')}</p>`}
    ${isTied && html`<p class="muted small" role="status">${cast.nodes.length < cast.known ? t('people.drawnOf', { n: cast.nodes.length, of: cast.known }) : t('people.drawn', { n: cast.nodes.length })}</p>`}
  </div>`;
}

/** @param {Known} known */
function kindsOf({ entities, degrees }) {
  const found = new Map(entities.map((one) => [one.name, one.kind]));
  const drawn = degrees.size > 0 ? [...degrees.keys()] : [...found.keys()];
  return [...new Set(drawn.map((name) => found.get(name) ?? UNKNOWN_KIND))].sort();
}

/** @param {import('./people/pairs.js').Pair} pair @param {boolean} hasParts @returns {import('./people/card.js').Passages} */
function passagesOf(pair, hasParts) {
  const pieces = pair.relations.map((one) => ({
    id: one.id, place: placeOf(one, hasParts), quote: one.evidence,
    label: `${one.source} — ${[typeText(one.type), one.description].filter(Boolean).join(t('people.colon'))} → ${one.target}` }));
  return { title: t('people.between', { one: pair.source, other: pair.target, what: edgeText(pair) }), pieces };
}

/** Who is hidden, with the way back. @param {{ library: string, hidden: ReadonlySet<string> }} props */
function Hidden({ library, hidden }) {
  if (hidden.size === 0) return null;
  return html`<details class="people-hidden"><summary class="small muted">${t('people.hiddenList', { n: hidden.size })}</summary>
    <div class="people-chips">${[...hidden].map((name) => html`<button type="button" class="chip" key=${name} onClick=${() => setHidden(library, name, false)}>${t('people.showAgain', { name })}</button>`)}</div></details>`;
}
