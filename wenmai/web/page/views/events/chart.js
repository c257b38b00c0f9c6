// @ts-check
/** The lanes: chapters from left to right, people from top to bottom, a mark for each of their events. */
import { t } from '../../i18n/index.js';
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from '../../lib.js';
import { short } from '../people/words.js';
import { classOf, formOf, kindText } from './kinds.js';
import { bands, grouped, HEAD, LANE, middle, placed, stepped } from './lanes.js';

/** @typedef {import('./lanes.js').Mark} Mark */
/** @typedef {import('../../parts/positions.js').Position} Position */

const HIT = 10;
const FOOT = 8;
const LABEL_EVERY = 28; // pixels that the number of a chapter needs

/** How wide the box is. @param {{ current: HTMLElement | null }} box */
function useWidth(box) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => box.current && setWidth(box.current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/**
 * @param {{ all: readonly import('./lanes.js').Happening[], people: readonly string[], places: readonly Position[], placeText: (mark: Mark) => string,
 *   onOpen: (mark: Mark) => void }} props
 */
export function Chart({ all, people, places, placeText, onOpen }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const room = useWidth(box);
  const { width, marks: found } = useMemo(() => placed(all, people, places, room), [all, people, places, room]);
  const [shown, setShown] = useState(/** @type {Mark | null} */ (null));
  useEffect(() => setShown(null), [found]);
  const size = { width: width * places.length, height: HEAD + people.length * LANE + FOOT };
  return html`<div class="events-chart">
    <div class="events-people" aria-hidden="true">${people.map((name) => html`<span key=${name} style=${{ height: `${LANE}px` }}>${name}</span>`)}</div>
    <div class="events-scroll" ref=${box}>
      <svg width=${size.width} height=${size.height} role="group" aria-label=${t('events.chartLabel', { n: found.length, m: people.length })}>
        <${Ground} people=${people} places=${places} width=${width} height=${size.height} />
        <${Tracks} marks=${found} />
        <${Marks} marks=${found} people=${people} placeText=${placeText} onOpen=${onOpen} onShow=${setShown} />
      </svg>
      ${shown && html`<${Tip} mark=${shown} place=${placeText(shown)} width=${size.width} />`}
    </div>
  </div>`;
}

/** Bands of parts, lanes, and the numbers of chapters. @param {{ people: readonly string[], places: readonly Position[], width: number, height: number }} props */
function Ground({ people, places, width, height }) {
  const every = Math.max(1, Math.ceil(LABEL_EVERY / width));
  return html`<g aria-hidden="true">
    ${bands(places).map((band, index) => html`<g key=${band.part}>
      <rect class=${index % 2 ? 'events-band is-odd' : 'events-band'} x=${band.from * width} y="0" width=${(band.to - band.from + 1) * width} height=${height} />
      <text class="events-part" x=${band.from * width + 6} y="14">${t('events.part', { n: band.part })}</text></g>`)}
    ${people.map((name, index) => html`<line key=${name} class="events-lane" x1="0" x2=${width * places.length} y1=${middle(index)} y2=${middle(index)} />`)}
    ${places.map((one, index) => index % every === 0 && html`<text key=${index} class="events-number" x=${(index + 0.5) * width} y=${HEAD - 8}>${one.chapter}</text>`)}
  </g>`;
}

/** The stretch of each person, and ties between those of one event. @param {{ marks: readonly Mark[] }} props */
function Tracks({ marks: all }) {
  const lanes = grouped(all, (one) => one.lane);
  const shared = grouped(all, (one) => one.id).filter(([, found]) => found.length > 1);
  return html`<g aria-hidden="true">
    ${shared.map(([id, found]) => html`<path key=${id} class="events-shared" d=${found.map((one, index) => `${index ? 'L' : 'M'}${one.x} ${one.y}`).join('')} />`)}
    ${lanes.map(([lane, found]) => html`<line key=${lane} class="events-track" x1=${found[0].x} x2=${/** @type {Mark} */ (found.at(-1)).x}
      y1=${middle(lane)} y2=${middle(lane)} />`)}
  </g>`;
}

/**
 * @param {{ marks: readonly Mark[], people: readonly string[], placeText: (mark: Mark) => string, onOpen: (mark: Mark) => void, onShow: (mark: Mark | null) => void }} props
 */
function Marks({ marks: all, people, placeText, onOpen, onShow }) {
  const [at, setAt] = useState(0);
  const here = Math.min(at, all.length - 1);
  const group = useRef(/** @type {SVGGElement | null} */ (null));
  /** @param {KeyboardEvent} event @param {number} index */
  const onKeyDown = (event, index) => {
    if (event.key === 'Enter' || event.key === ' ') onOpen(all[index]);
    else if (event.key === 'Escape') onShow(null);
    else {
      const next = stepped(all, index, event.key);
      if (next === null) return;
      setAt(next);
      /** @type {SVGGElement | undefined} */ (group.current?.children[next])?.focus();
    }
    event.preventDefault();
  };
  return html`<g ref=${group}>${all.map((one, index) => html`<g key=${`${one.lane} ${one.id}`} class=${classOf(one.kind)} role="button" tabindex=${index === here ? 0 : -1}
    transform=${`translate(${one.x} ${one.y})`} aria-label=${`${people[one.lane]}${t('people.comma')}${placeText(one)}${t('people.comma')}${kindText(one.kind)}${t('people.colon')}${one.name}`}
    onClick=${() => onOpen(one)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKeyDown(event, index)} onFocus=${() => (setAt(index), onShow(one))} onBlur=${() => onShow(null)}
    onMouseEnter=${() => onShow(one)} onMouseLeave=${() => onShow(null)}><rect class="events-hit" x=${-HIT / 2 - 1} y=${-HIT / 2 - 1} width=${HIT + 2} height=${HIT + 2} /><path d=${formOf(one.kind)} /></g>`)}</g>`;
}

const TIP = 320;

/** What a mark says. @param {{ mark: Mark, place: string, width: number }} props */
function Tip({ mark, place, width }) {
  const left = Math.max(0, Math.min(mark.x - TIP / 2, width - TIP));
  return html`<div class="events-tip" style=${{ left: `${left}px`, top: `${mark.y + 14}px`, width: `${TIP}px` }}>
    <strong>${mark.name}</strong><span class="muted small">${place} · ${kindText(mark.kind)}</span><span class="events-tip-quote">${short(mark.sentence, 120)}</span></div>`;
}
