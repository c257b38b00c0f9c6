// @ts-check
import * as server from '../api/server.js';
import * as stories from '../api/stories.js';
import { t } from '../i18n/index.js';
import { html, useMemo, useState } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { EvidenceDrawer } from '../parts/evidence-drawer.js';
import { Loader, useLoad } from '../parts/load.js';
import { MoreFound } from '../parts/more-found.js';
import { hasParts, positions } from '../parts/positions.js';
import { Tabs } from '../parts/tabs.js';
import { go, href } from '../router.js';
import { useGuard } from '../store.js';
import { Chart } from './events/chart.js';
import { Choosing } from './events/choosing.js';
import { busiest, happenings } from './events/lanes.js';
import { List } from './events/list.js';
import { kindText } from './events/kinds.js';
import { placeOf } from './people/words.js';

const LANES = 8;
const SMALL = '(max-width: 40rem)';
const BETWEEN = '\n'; // no name has one

/** @typedef {{ all: import('./events/lanes.js').Happening[], places: import('../parts/positions.js').Position[], hasParts: boolean, isAdmin: boolean }} Known */
/** @typedef {import('../router.js').Route} Route */

/** @param {string} library @param {stories.Reading} reading @returns {Promise<Known>} */
async function load(library, reading) {
  const placed = { ...reading, query: { type: 'LOCATED_IN' } };
  const [events, relations, chapters, me] = await Promise.all([stories.events(library, reading), stories.relations(library, placed), stories.chapters(library, reading), server.me(reading.signal)]);
  const places = positions(chapters);
  return { all: happenings(events, relations), places, hasParts: hasParts(places), isAdmin: me.is_admin };
}

/** What happened when: lanes of people over the chapters. @param {{ route: Route }} props */
export default function Events({ route }) {
  const library = /** @type {string} */ (route.library);
  const guard = useGuard(library);
  const all = useLoad((signal) => load(library, { guard, signal }), [library, guard], guard);
  return html`<h1>${t('events.title')}</h1>
    <${Loader} of=${all}>${(/** @type {Known} */ known) => (known.all.length === 0 ? html`<${Empty} title=${t('events.empty')} hint=${t(guard ? 'events.emptyGuarded' : 'events.emptyHint')}>
        ${!guard && html`<${MoreFound} library=${library} isAdmin=${known.isAdmin} />`}<//>`
      : html`<${Happenings} route=${route} library=${library} known=${known} />`)}<//>`;
}

/** @param {{ route: Route, library: string, known: Known }} props */
function Happenings({ route, library, known: { all, places, hasParts } }) {
  const [off, setOff] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const [opened, setOpened] = useState(/** @type {import('./events/lanes.js').Happening | null} */ (null));
  const show = route.query.show ?? (matchMedia(SMALL).matches ? 'list' : 'lanes');
  const ranked = useMemo(() => busiest(all), [all]);
  const chosen = (route.query.of ?? '').split(BETWEEN).filter((name) => ranked.includes(name));
  const people = useMemo(() => (chosen.length > 0 ? chosen : ranked.slice(0, LANES)), [chosen.join(BETWEEN), ranked]);
  const left = useMemo(() => all.filter((one) => !off.has(one.kind)), [all, off]);
  const listed = chosen.length > 0 ? left.filter((one) => one.people.some((name) => chosen.includes(name))) : left;
  const to = (/** @type {Record<string, string | undefined>} */ query) => go(href('events', { library, query: { ...route.query, ...query } }), { replace: true });
  const placeText = (/** @type {import('./events/lanes.js').Happening} */ one) => placeOf(one, hasParts);
  const tabs = [{ id: 'lanes', label: t('events.lanes') }, { id: 'list', label: t('events.list') }];
  return html`<div class="events">
    <${Choosing} all=${all} ranked=${ranked} people=${people} isChosen=${chosen.length > 0} off=${off} onOff=${setOff}
      onPeople=${(/** @type {string[]} */ names) => to({ of: names.join(BETWEEN) || undefined })} />
    <${Tabs} label=${t('events.title')} tabs=${tabs} selected=${show} onSelect=${(/** @type {string} */ id) => to({ show: id })}>
      ${listed.length === 0 ? html`<${Empty} title=${t('events.filtered')} />` : show === 'list' ? html`<${List} all=${listed} placeText=${placeText} onOpen=${setOpened} />`
        : places.length === 0 ? html`<${Empty} title=${t('parts.noChapters')} />` : html`<${Chart} all=${left} people=${people} places=${places} placeText=${placeText} onOpen=${setOpened} />
          <p class="muted small">${t('events.hint')}</p>`}
    <//>
    ${opened && html`<${EvidenceDrawer} library=${library} title=${opened.name} onClose=${() => setOpened(null)}
      pieces=${[{ id: opened.id, label: kindText(opened.kind), place: placeText(opened), quote: opened.quote, note: opened.people.join(t('people.comma')) }]} />`}
  </div>`;
}
