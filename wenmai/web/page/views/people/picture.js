// @ts-check
/** The relation picture: drawn by Cytoscape, which comes when it is first shown. */
import { errorText } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useRef, useState } from '../../lib.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Icon } from '../../parts/icon.js';
import { Menu } from '../../parts/menu.js';
import { Loading } from '../../parts/progress.js';
import { toast } from '../../parts/toast.js';
import { useSignal } from '../../signals.js';
import { language, theme } from '../../store.js';
import { arranged } from './arranging.js';
import { colours, elements, layoutFor, seat, styles } from './drawing.js';
import { FullWindow } from './full-window.js';
import { savePicture } from './saving.js';

/** @typedef {import('cytoscape').Core} Core */
/** @typedef {{ cast: import('./pairs.js').Cast, selected: string | null, onNode: (name: string) => void, onPair: (id: string) => void, onNothing: () => void, name: string, isAlone?: boolean }} Props  name: of a file; isAlone: it is the view, so that the whole window can be its own */

const STEP = 1.3;
const FORMATS = /** @type {const} */ (['png', 'svg']);
const RADIUS = 28; // of the disk where names begin, for each root of their number
const FADING_MS = 20;
const MARGIN = 18; // around the picture
const MOST_ZOOM = 1.4;

/** @param {Props} props */
export function Picture(props) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const { picture, error } = usePicture(box, props);
  useColours(picture, box); // first: what fits depends on the labels
  useElements(picture, props.cast);
  useChosen(picture, props.selected, props.cast);
  /** @param {number} factor */
  const zoom = (factor) => picture?.zoom({ level: picture.zoom() * factor, renderedPosition: { x: picture.width() / 2, y: picture.height() / 2 } });
  return html`<div class="people-picture">
    ${error && html`<${ErrorLine} error=${error} />`}
    ${!picture && !error && html`<${Loading} />`}
    <div class="people-canvas" ref=${box} role="img" aria-label=${t('people.pictureLabel', { n: props.cast.nodes.length, m: props.cast.pairs.length })}></div>
    <div class="people-zoom">
      <button type="button" class="icon-button" aria-label=${t('people.zoomIn')} onClick=${() => zoom(STEP)}><${Icon} name="plus" /></button>
      <button type="button" class="icon-button" aria-label=${t('people.zoomOut')} onClick=${() => zoom(1 / STEP)}><${Icon} name="minus" /></button>
      <button type="button" class="icon-button" aria-label=${t('people.fit')} onClick=${() => picture && fit(picture)}><${Icon} name="fit" /></button>
    </div>
    <div class="people-picture-tools">
      ${props.isAlone && html`<${FullWindow} onChange=${() => picture && setTimeout(() => arrange(picture))} />`}
      ${props.cast.nodes.length > 0 && html`<${Menu} label=${t('people.save')} icon="download" items=${FORMATS.map((format) => ({ label: t(`people.save_${format}`), onSelect: () => picture && void keep(picture, box.current, format, props.name) }))} />`}
    </div>
  </div>`;
}

/** Show all, a few not larger than they need be. @param {Core} picture */
function fit(picture) {
  picture.fit(undefined, MARGIN);
  if (picture.zoom() <= MOST_ZOOM) return;
  picture.zoom(MOST_ZOOM);
  picture.center();
}

/** @param {Core} picture @param {HTMLElement | null} box @param {'png' | 'svg'} format @param {string} name */
const keep = async (picture, box, format, name) => {
  try {
    if (box) await savePicture(picture, format, name, colours(box), getComputedStyle(box).fontFamily);
  } catch (failure) {
    toast(errorText(failure));
  }
};

/** Make the picture once; what its listeners call is always the newest. @param {{ current: HTMLElement | null }} box @param {Props} props */
function usePicture(box, props) {
  const [state, setState] = useState({ picture: /** @type {Core | null} */ (null), error: /** @type {unknown} */ (null) });
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => {
    let isThere = true;
    /** @type {Core | undefined} */
    let made;
    import('../../vendor/cytoscape.js').then(({ default: cytoscape }) => {
      if (!isThere || !box.current) return;
      made = cytoscape({ container: box.current, minZoom: 0.1, maxZoom: 4, boxSelectionEnabled: false, autounselectify: true });
      listen(made, newest);
      made.on('resize', () => made?.destroyed() === false && fit(made));
      setState({ picture: made, error: null });
    }).catch((error) => isThere && setState({ picture: null, error }));
    return () => {
      isThere = false;
      made?.destroy();
    };
  }, []);
  return state;
}

/** @param {Core} picture @param {{ current: Props }} newest */
function listen(picture, newest) {
  const pointer = (/** @type {string} */ cursor) => {
    const container = picture.container();
    if (container) container.style.cursor = cursor;
  };
  picture.on('tap', 'node', (event) => newest.current.onNode(event.target.id()));
  picture.on('tap', 'edge', (event) => newest.current.onPair(event.target.id()));
  picture.on('tap', (event) => event.target === picture && newest.current.onNothing());
  const lines = (/** @type {any} */ one) => (one.isNode() ? one.connectedEdges() : one);
  picture.on('mouseover', 'node, edge', ({ target }) => (target.addClass('is-hovered'), lines(target).addClass('is-hovered'), pointer('pointer')));
  picture.on('mouseout', 'node, edge', ({ target }) => (target.removeClass('is-hovered'), lines(target).removeClass('is-hovered'), pointer('')));
}

/** Draw another cast: who stays keeps the place and the layout goes on from there. @param {Core | null} picture @param {import('./pairs.js').Cast} cast */
function useElements(picture, cast) {
  const spoken = useSignal(language);
  useEffect(() => {
    if (!picture) return;
    const made = elements(cast);
    const wanted = new Set(made.map((one) => one.data.id));
    const known = new Set(picture.elements().map((one) => one.id()));
    const radius = RADIUS * Math.sqrt(cast.nodes.length);
    const added = made.filter((one) => !known.has(/** @type {string} */ (one.data.id)));
    const gone = picture.elements().filter((one) => !wanted.has(one.id()));
    picture.batch(() => {
      picture.remove(gone);
      picture.add(added.map((one) => (one.group === 'nodes' ? { ...one, position: seat(/** @type {string} */ (one.data.id), radius) } : one)));
      for (const one of made) picture.getElementById(/** @type {string} */ (one.data.id)).data(one.data);
    });
    if (added.length === 0 && gone.length === 0) return;
    picture.layout(layoutFor(cast.nodes.length)).run();
    arrange(picture);
  }, [picture, cast, spoken]);
}

/** Spread the nodes over the shape of the window so that no name covers another. @param {Core} picture */
function arrange(picture) {
  const nodes = picture.nodes();
  const boxes = nodes.map((node) => {
    const { x1, x2, y1, y2, w, h } = node.boundingBox({ includeOverlays: false });
    return { x: (x1 + x2) / 2, y: (y1 + y2) / 2, w, h };
  });
  const placed = arranged(boxes, picture.width() / Math.max(1, picture.height()));
  picture.batch(() => placed.forEach(({ x, y }, at) => nodes[at].shift({ x: x - boxes[at].x, y: y - boxes[at].y })));
  fit(picture);
}

/** @param {Core | null} picture @param {string | null} selected @param {import('./pairs.js').Cast} cast */
function useChosen(picture, selected, cast) {
  useEffect(() => {
    if (!picture) return;
    picture.elements().removeClass('is-faded is-chosen is-near');
    const one = picture.getElementById(selected ?? '');
    if (one.empty()) return;
    picture.elements().not(one.closedNeighborhood()).addClass('is-faded');
    one.addClass('is-chosen');
    one.connectedEdges().addClass('is-near');
  }, [picture, selected, cast]);
}

/** @param {Core | null} picture @param {{ current: HTMLElement | null }} box */
function useColours(picture, box) {
  const chosen = useSignal(theme);
  useEffect(() => {
    const paint = () => box.current && picture?.style(styles(colours(box.current), getComputedStyle(box.current).fontFamily));
    paint();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', paint);
    const later = setTimeout(paint, FADING_MS); // the theme is on the document after this effect
    return () => {
      dark.removeEventListener('change', paint);
      clearTimeout(later);
    };
  }, [picture, chosen]);
}
