// @ts-check
/** How a cast is drawn: elements, styles from the page's colours, and places that stay from one picture to the next. */
import { visible } from '../../visible.js';
import { edgeText, short } from './words.js';

/** @typedef {import('./pairs.js').Cast} Cast */
/** @typedef {{ x: number, y: number }} Point */

const SMALLEST = 20, LARGEST = 52, WIDEST = 6;
const FEW = 60; // nodes among which the words of edges have room
const SHAPES = { Character: 'ellipse', Location: 'round-rectangle', Organization: 'hexagon', Event: 'diamond', Item: 'round-triangle', Object: 'round-triangle' };
const TIES = { FAMILY_OF: '--people-family', FRIEND_OF: '--people-friend', PARTNER_OF: '--people-friend', ENEMY_OF: '--people-enemy', LEADER_OF: '--people-rank', MEMBER_OF: '--people-rank' };
const KINDS = { Character: '--people-character', Location: '--people-location', Organization: '--people-organization', Event: '--people-event', Item: '--people-item', Object: '--people-item' };
const PLAIN = '--people-plain';

/** The variable of a kind's colour. @param {string} kind */
export const colourOf = (kind) => (Object.hasOwn(KINDS, kind) ? KINDS[/** @type {keyof typeof KINDS} */ (kind)] : PLAIN);
/** @param {string} type */
const tieOf = (type) => (Object.hasOwn(TIES, type) ? TIES[/** @type {keyof typeof TIES} */ (type)] : PLAIN);
/** @param {string} kind */
const shapeOf = (kind) => (Object.hasOwn(SHAPES, kind) ? SHAPES[/** @type {keyof typeof SHAPES} */ (kind)] : 'ellipse');

/**
 * Return the elements of a picture.
 * @param {Cast} cast
 * @returns {import('cytoscape').ElementDefinition[]}
 */
export function elements({ nodes, pairs }) {
  const top = Math.max(1, ...nodes.map((one) => one.degree));
  const sizeOf = (/** @type {number} */ degree) => SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(degree / top);
  const boost = nodes.length > FEW ? 8 * 1.8 * Math.sqrt(nodes.length / FEW) : 3; // of many only the names of the best connected can be read
  return [
    ...nodes.map(({ name, kind, degree, label }) => ({ group: /** @type {const} */ ('nodes'), data: { id: name, label: short(label ?? name), shape: shapeOf(kind), colour: colourOf(kind), size: sizeOf(degree), degree, font: 13 + boost * Math.sqrt(degree / top), least: nodes.length > FEW ? 16 : 7 } })),
    ...pairs.map((pair) => ({ group: /** @type {const} */ ('edges'), data: { id: pair.id, source: pair.source, target: pair.target, label: visible(edgeText(pair)), colour: tieOf(pair.types[0]), width: Math.min(WIDEST, 1 + Math.log2(1 + pair.relations.length)), arrow: pair.isDirected ? 'triangle' : 'none' } })),
  ];
}

/** Read the page's colours as they are in its theme now. @param {HTMLElement} box */
export function colours(box) {
  const probe = box.appendChild(document.createElement('span'));
  probe.hidden = true;
  const read = (/** @type {string} */ name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const names = new Set([...Object.values(KINDS), ...Object.values(TIES), PLAIN, '--paper', '--ink', '--muted', '--accent', '--focus']);
  const found = new Map([...names].map((name) => [name, read(name)]));
  probe.remove();
  return (/** @type {string} */ name) => found.get(name) ?? 'gray';
}

/**
 * @param {(name: string) => string} colour
 * @param {string} font
 * @returns {any[]}
 */
export function styles(colour, font) {
  const own = (/** @type {any} */ element) => colour(element.data('colour'));
  const text = { 'font-family': font, color: colour('--ink'), 'text-outline-color': colour('--paper'), 'text-outline-width': 2.5, 'text-outline-opacity': 0.9 };
  return [
    { selector: 'node', style: { ...text, label: 'data(label)', width: 'data(size)', height: 'data(size)', shape: 'data(shape)', 'background-color': own, 'border-width': 1.5, 'border-color': colour('--paper'), 'font-size': 'data(font)', 'min-zoomed-font-size': (/** @type {any} */ node) => node.data('least'), 'text-valign': 'bottom', 'z-index': 'data(degree)', 'text-margin-y': 3 } },
    { selector: 'edge', style: { ...text, width: 'data(width)', 'line-color': own, 'line-opacity': 0.65, 'curve-style': 'straight', 'target-arrow-shape': 'data(arrow)', 'target-arrow-color': own, 'arrow-scale': 0.8, 'font-size': 12.5, color: colour('--muted'), 'text-rotation': 'autorotate' } },
    { selector: 'edge.is-near', style: { label: 'data(label)', color: colour('--ink') } },
    { selector: '.is-faded', style: { opacity: 0.14 } },
    { selector: 'node.is-chosen', style: { 'border-color': colour('--focus'), 'border-width': 4 } },
    { selector: 'edge.is-hovered', style: { label: 'data(label)', 'line-opacity': 1, 'font-size': 14, color: colour('--ink'), 'z-index': 9 } },
    { selector: 'node.is-hovered', style: { 'min-zoomed-font-size': 0, 'z-index': 9 } },
  ];
}

/**
 * Return where a name begins before the layout: always the same place for the same name.
 * @param {string} name
 * @param {number} radius
 * @returns {Point}
 */
export function seat(name, radius) {
  let hash = 2166136261;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  const [turn, far] = [(hash >>> 16) / 65536, (hash & 65535) / 65536];
  return { x: radius * Math.sqrt(far) * Math.cos(2 * Math.PI * turn), y: radius * Math.sqrt(far) * Math.sin(2 * Math.PI * turn) };
}

/** @param {number} count how many nodes @returns {any} */
export const layoutFor = (count) => ({
  name: 'cose', animate: false, randomize: false, fit: true, padding: 30, nodeDimensionsIncludeLabels: true,
  nodeRepulsion: () => 40000, idealEdgeLength: () => 90, edgeElasticity: () => 90, nodeOverlap: 12, componentSpacing: 50,
  gravity: count > 150 ? 0.9 : 0.5, numIter: count > 150 ? 500 : 1000,
});
