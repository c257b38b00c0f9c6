// @ts-check
/** The picture as a file: what the canvas shows as PNG, the same as SVG. */
import { save } from '../../parts/save.js';
import { visible } from '../../visible.js';

/** @typedef {import('cytoscape').Core} Core */
/** @typedef {{ x: number, y: number, size: number, shape: string, fill: string, label: string, font: number }} Dot */
/** @typedef {{ x1: number, y1: number, x2: number, y2: number, width: number, stroke: string, isDirected: boolean, end: number }} Line  end: radius of what it leads to */
/** @typedef {{ paper: string, ink: string, font: string }} Ground */

const MARGIN = 40, PNG_SCALE = 2, ARROW = 9;
/** Corners of shapes in a square from -1 to 1; what is not here is round. @type {Readonly<Record<string, string>>} */
const CORNERS = { 'round-rectangle': '-1,-1 1,-1 1,1 -1,1', hexagon: '-0.5,-1 0.5,-1 1,0 0.5,1 -0.5,1 -1,0', diamond: '0,-1 1,0 0,1 -1,0', 'round-triangle': '0,-1 1,1 -1,1' };

/** @param {string} text */
const escaped = (text) => visible(text).replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
/** @param {number} value */
const rounded = (value) => String(Math.round(value * 10) / 10);

/**
 * Return a picture as the text of an SVG file.
 * @param {readonly Dot[]} dots
 * @param {readonly Line[]} lines
 * @param {Ground} ground
 */
export function svgOf(dots, lines, { paper, ink, font }) {
  const halves = dots.map((one) => Math.max(one.size, [...one.label].length * one.font) / 2);
  const [left, right] = [Math.min(...dots.map((one, at) => one.x - halves[at])) - MARGIN, Math.max(...dots.map((one, at) => one.x + halves[at])) + MARGIN];
  const [top, bottom] = [Math.min(...dots.map((one) => one.y - one.size)) - MARGIN, Math.max(...dots.map((one) => one.y + one.size + one.font)) + MARGIN];
  const box = [left, top, right - left, bottom - top].map(rounded);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(' ')}" width="${box[2]}" height="${box[3]}" font-family="${escaped(font)}" text-anchor="middle">
<rect x="${box[0]}" y="${box[1]}" width="${box[2]}" height="${box[3]}" fill="${paper}"/>
${[...lines.map(lineOf), ...dots.map((one) => dotOf(one, paper)), ...dots.map((one) => labelOf(one, paper, ink))].join('\n')}
</svg>
`;
}

/** @param {Line} line */
function lineOf({ x1, y1, x2, y2, width, stroke, isDirected, end }) {
  const drawn = `<line x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}" stroke="${stroke}" stroke-opacity="0.65" stroke-width="${rounded(width)}"/>`;
  if (!isDirected) return drawn;
  const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  return `${drawn}<path d="M0 0L${-ARROW} ${-ARROW / 2}V${ARROW / 2}Z" fill="${stroke}" transform="translate(${rounded(x2)} ${rounded(y2)}) rotate(${rounded(turn)}) translate(${rounded(-end)} 0)"/>`;
}

/** @param {Dot} dot @param {string} paper */
function dotOf({ x, y, size, shape, fill }, paper) {
  const at = `transform="translate(${rounded(x)} ${rounded(y)})" fill="${fill}" stroke="${paper}" stroke-width="1.5"`;
  const half = size / 2;
  if (!Object.hasOwn(CORNERS, shape)) return `<circle r="${rounded(half)}" ${at}/>`;
  const points = CORNERS[shape].split(' ').map((pair) => pair.split(',').map((value) => rounded(Number(value) * half)).join(','));
  return `<polygon points="${points.join(' ')}" stroke-linejoin="round" ${at}/>`;
}

/** @param {Dot} dot @param {string} paper @param {string} ink */
const labelOf = ({ x, y, size, label, font }, paper, ink) => `<text x="${rounded(x)}" y="${rounded(y + size / 2 + 3 + font)}" font-size="${rounded(font)}" fill="${ink}" stroke="${paper}" stroke-width="2.5" stroke-linejoin="round" paint-order="stroke">${escaped(label)}</text>`;

/** @param {Core} picture @param {(name: string) => string} colour @param {string} font */
function svgOfPicture(picture, colour, font) {
  const dots = picture.nodes().map((/** @type {any} */ one) => ({ ...one.position(), size: one.data('size'), shape: one.data('shape'), fill: colour(one.data('colour')), label: one.data('label'), font: one.data('font') }));
  const lines = picture.edges().map((/** @type {any} */ one) => {
    const [from, to] = [one.source().position(), one.target().position()];
    return { x1: from.x, y1: from.y, x2: to.x, y2: to.y, width: one.data('width'), stroke: colour(one.data('colour')), isDirected: one.data('arrow') !== 'none', end: one.target().data('size') / 2 };
  });
  return svgOf(dots, lines, { paper: colour('--paper'), ink: colour('--ink'), font });
}

/**
 * Hand the whole picture to the browser's downloads.
 * @param {Core} picture
 * @param {'png' | 'svg'} format
 * @param {string} name
 * @param {(name: string) => string} colour
 * @param {string} font
 */
export async function savePicture(picture, format, name, colour, font) {
  const blob = format === 'svg' ? new Blob([svgOfPicture(picture, colour, font)], { type: 'image/svg+xml' })
    : await picture.png({ output: 'blob-promise', full: true, scale: PNG_SCALE, bg: colour('--paper') });
  save(/** @type {Blob} */ (blob), `${name}.${format}`);
}
