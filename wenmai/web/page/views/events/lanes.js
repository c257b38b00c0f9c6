// @ts-check
/** Events and journeys over the chapters, a lane for each person. */

/** @typedef {import('../../api/stories.js').StoryEvent} StoryEvent */
/** @typedef {import('../../api/stories.js').Relation} Relation */
/** @typedef {import('../../store.js').Guard} Guard */
/** @typedef {{ id: string, kind: string, name: string, sentence: string, quote: string, part: number | null, chapter: number | null, people: string[] }} Happening */
/** @typedef {Happening & { lane: number, column: number, x: number, y: number }} Mark */
/** @typedef {{ part: number, from: number, to: number }} Band */

export const JOURNEY = 'journey';
const PLACED = 'LOCATED_IN';
export const LANE = 54, HEAD = 40;
const APART = 13, GAP = 3;
const ROWS = Math.floor(LANE / APART); // of marks in a lane
const NARROWEST = APART + GAP;

/**
 * Put events, and where somebody is, into one list in story order.
 * @param {readonly StoryEvent[]} events
 * @param {readonly Relation[]} relations
 * @returns {Happening[]}
 */
export function happenings(events, relations) {
  const told = events.map((one) => ({
    id: one.id, kind: one.type, name: one.name, sentence: one.evidence || one.summary, quote: one.evidence, part: one.part, chapter: one.chapter,
    people: [...new Set([one.primary_character, ...one.participants.map((person) => person.name)])].filter(Boolean) }));
  const moves = relations.filter((one) => one.type === PLACED).map((one) => ({
    id: one.id, kind: JOURNEY, name: `${one.source} → ${one.target}`, sentence: one.evidence || one.description, quote: one.evidence,
    part: one.part, chapter: one.chapter, people: [one.source] }));
  const place = (/** @type {Happening} */ one) => (one.chapter === null ? Infinity : (one.part ?? 1) * 1e6 + one.chapter);
  return [...told, ...moves].sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)));
}

/**
 * Return who takes part, those first who do so most often; a journey counts less than an event.
 * @param {readonly Happening[]} all
 */
export function busiest(all) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const one of all) for (const name of one.people) counts.set(name, (counts.get(name) ?? 0) + (one.kind === JOURNEY ? 0.1 : 1));
  return [...counts].sort((one, other) => other[1] - one[1]).map(([name]) => name);
}

/** Put the happenings of each person and chapter together. @param {readonly Happening[]} all @param {readonly string[]} people @param {readonly Guard[]} places */
function cellsOf(all, people, places) {
  const columns = new Map(places.map((one, index) => [`${one.part}.${one.chapter}`, index]));
  /** @type {Map<string, { lane: number, column: number, found: Happening[] }>} */
  const cells = new Map();
  for (const one of all) {
    const column = columns.get(`${one.part}.${one.chapter}`);
    if (column === undefined) continue;
    for (const lane of one.people.map((name) => people.indexOf(name)).filter((index) => index >= 0)) {
      const cell = cells.get(`${lane} ${column}`);
      if (cell) cell.found.push(one);
      else cells.set(`${lane} ${column}`, { lane, column, found: [one] });
    }
  }
  return [...cells.values()];
}

/**
 * Place a mark for each person of each happening; those of one chapter and person stand beside and below each other.
 * @param {readonly Happening[]} all
 * @param {readonly string[]} people
 * @param {readonly Guard[]} places
 * @param {number} room how wide all columns may be; they are wider where one would not hold its marks
 * @returns {{ width: number, marks: Mark[] }} width: of a column
 */
export function placed(all, people, places, room) {
  const cells = cellsOf(all, people, places);
  const most = Math.max(1, ...cells.map((one) => one.found.length));
  const width = Math.max(NARROWEST, Math.ceil(most / ROWS) * APART + GAP, Math.floor(room / Math.max(1, places.length)));
  const inRow = Math.floor((width - GAP) / APART);
  const marks = cells.flatMap(({ lane, column, found }) => found.map((one, index) => {
    const [row, rows] = [Math.floor(index / inRow), Math.ceil(found.length / inRow)];
    const among = Math.min(inRow, found.length - row * inRow);
    return { ...one, lane, column, x: (column + 0.5) * width + ((index % inRow) - (among - 1) / 2) * APART, y: middle(lane) + (row - (rows - 1) / 2) * APART };
  }));
  return { width, marks: marks.sort((one, other) => one.lane - other.lane || one.column - other.column || one.y - other.y || one.x - other.x) };
}

/** The height of the middle of a lane. @param {number} lane */
export const middle = (lane) => HEAD + (lane + 0.5) * LANE;

/**
 * Group marks by something of theirs, in the order of the marks.
 * @template K
 * @param {readonly Mark[]} all
 * @param {(mark: Mark) => K} keyOf
 * @returns {[K, Mark[]][]}
 */
export function grouped(all, keyOf) {
  /** @type {Map<K, Mark[]>} */
  const found = new Map();
  for (const one of all) {
    const group = found.get(keyOf(one));
    if (group) group.push(one);
    else found.set(keyOf(one), [one]);
  }
  return [...found];
}

/** The parts of a book as bands of columns; none where it has one part. @param {readonly Guard[]} places @returns {Band[]} */
export function bands(places) {
  /** @type {Band[]} */
  const found = [];
  places.forEach(({ part }, index) => {
    const last = found.at(-1);
    if (last?.part === part) last.to = index;
    else found.push({ part, from: index, to: index });
  });
  return found.length > 1 ? found : [];
}

/**
 * Return the mark that a key leads to: along the lane, or to the nearest one of the next lane that has any.
 * @param {readonly Mark[]} all
 * @param {number} at
 * @param {string} key
 */
export function stepped(all, at, key) {
  const here = all[at];
  if (!here) return null;
  const along = { ArrowRight: at + 1, ArrowLeft: at - 1 }[key];
  if (along !== undefined) return all[along]?.lane === here.lane ? along : at;
  if (key === 'Home') return all.findIndex((one) => one.lane === here.lane);
  if (key === 'End') return all.findLastIndex((one) => one.lane === here.lane);
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return null;
  const lanes = all.map((one) => one.lane).filter((lane) => (key === 'ArrowDown' ? lane > here.lane : lane < here.lane));
  if (lanes.length === 0) return at;
  const lane = key === 'ArrowDown' ? Math.min(...lanes) : Math.max(...lanes);
  const nearest = Math.min(...all.filter((one) => one.lane === lane).map((one) => Math.abs(one.x - here.x)));
  return all.findIndex((one) => one.lane === lane && Math.abs(one.x - here.x) === nearest);
}
