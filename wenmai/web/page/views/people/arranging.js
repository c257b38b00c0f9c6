// @ts-check
/** Places in a picture: boxes of nodes with their names, spread over its shape, none above another. */

/** @typedef {{ x: number, y: number, w: number, h: number }} Box  x and y of the middle */

const GAP = 6; // between two boxes
const ROOM = 1.5; // how much more area than the boxes have the picture gets
const PASSES = 400, MOST_PUSHES = 1_500_000; // pairs that are looked at
const SLACK = 1.02;

/**
 * Spread boxes over an area of a shape, which has room for all, and push apart those that overlap.
 * @param {readonly Box[]} boxes
 * @param {number} ratio  width of the shape by its height
 * @returns {Box[]}
 */
export function arranged(boxes, ratio) {
  if (boxes.length === 0) return [];
  const area = ROOM * boxes.reduce((sum, one) => sum + (one.w + GAP) * (one.h + GAP), 0);
  const width = Math.max(Math.sqrt(area * ratio), ...boxes.map((one) => one.w));
  return separated(stretched(boxes, width, width / ratio));
}

/** Stretch places over a width and a height; who stands alone far out does not press the others together. @param {readonly Box[]} boxes @param {number} width @param {number} height */
function stretched(boxes, width, height) {
  const across = spread(boxes.map((one) => one.x), width);
  const down = spread(boxes.map((one) => one.y), height);
  return boxes.map((one, at) => ({ ...one, x: across[at], y: down[at] }));
}

const EVEN = 0.7; // how much the order of places counts beside their distances

/** Return places over a length, by their order and by their distances. @param {readonly number[]} places @param {number} length */
function spread(places, length) {
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const order = places.map((_, at) => at).sort((one, other) => places[one] - places[other] || one - other);
  const ranks = new Map(order.map((at, rank) => [at, rank / Math.max(1, places.length - 1)]));
  return places.map((place, at) => length * (EVEN * (ranks.get(at) ?? 0) + (1 - EVEN) * (last > first ? (place - first) / (last - first) : 0.5)));
}

/**
 * Push overlapping boxes apart, each pair along the shorter way, until none overlap.
 * @param {readonly Box[]} boxes
 * @returns {Box[]}
 */
function separated(boxes) {
  const placed = boxes.map((one) => ({ ...one }));
  const passes = Math.max(1, Math.min(PASSES, Math.floor(MOST_PUSHES / Math.max(1, boxes.length ** 2))));
  for (let pass = 0; pass < passes; pass += 1) if (!pushed(placed)) break;
  return placed;
}

/** One pass over all pairs; whether any was pushed. @param {Box[]} boxes */
function pushed(boxes) {
  let isMoved = false;
  for (let first = 0; first < boxes.length; first += 1) {
    for (let second = first + 1; second < boxes.length; second += 1) isMoved = pushApart(boxes[first], boxes[second]) || isMoved;
  }
  return isMoved;
}

/** @param {Box} one @param {Box} other */
function pushApart(one, other) {
  const across = (one.w + other.w) / 2 + GAP - Math.abs(one.x - other.x);
  const down = (one.h + other.h) / 2 + GAP - Math.abs(one.y - other.y);
  if (across <= 0 || down <= 0) return false;
  const axis = across < down ? 'x' : 'y';
  const step = (Math.sign(other[axis] - one[axis]) || 1) * (Math.min(across, down) / 2) * SLACK;
  one[axis] -= step;
  other[axis] += step;
  return true;
}
