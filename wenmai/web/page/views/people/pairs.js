// @ts-check
/** Who is tied to whom: the relations of a library by pairs of names, and which of them a picture can hold. */

/** @typedef {import('../../api/stories.js').Relation} Relation */
/** @typedef {import('../../api/stories.js').Entity} Entity */
/** @typedef {{ id: string, source: string, target: string, types: string[], isDirected: boolean, relations: Relation[] }} Pair */
/** @typedef {{ name: string, kind: string, degree: number, label?: string }} Node  degree: how many it is tied to, where nobody is tied how often it is named; label: where the name is no name for people */
/** @typedef {{ nodes: Node[], pairs: Pair[], known: number }} Cast  known: how many could be drawn */
/**
 * @typedef {object} Choice
 * @property {ReadonlySet<string>} kinds  kinds of entities that are left out
 * @property {ReadonlySet<string>} types  types of relations that are left out
 * @property {ReadonlySet<string>} hidden  names that the reader hides
 * @property {string | null} focus  draw only this one and who is tied to it
 * @property {number} most
 */

const BOTH_WAYS = new Set(['FAMILY_OF', 'FRIEND_OF', 'ENEMY_OF', 'PARTNER_OF', 'INTERACTS_WITH']);
export const UNKNOWN_KIND = 'Other';

/**
 * Put the relations between the same two together, whatever their direction.
 * @param {readonly Relation[]} relations
 * @returns {Pair[]}
 */
export function pairsOf(relations) {
  /** @type {Map<string, Relation[]>} */
  const groups = new Map();
  for (const one of relations) {
    if (one.source === one.target) continue;
    const key = JSON.stringify([one.source, one.target].sort());
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].map(([id, found]) => ({ id, ...directionOf(found), types: typesOf(found), relations: found }));
}

/** @param {readonly Relation[]} found */
function directionOf(found) {
  const { source, target } = found[0];
  return { source, target, isDirected: found.every((one) => one.source === source && !BOTH_WAYS.has(one.type)) };
}

/** Types that say no more than that two have to do with each other. */
const UNSPECIFIC = ['INTERACTS_WITH', 'RELATED_TO'];

/**
 * Return the types that a picture leaves out at first: those that say nothing, where others say something.
 * @param {readonly Relation[]} relations
 * @returns {ReadonlySet<string>}
 */
export const unspecific = (relations) => new Set(isUnspecific(relations) ? [] : typesOf(relations).filter((one) => UNSPECIFIC.includes(one)));

/** Whether no relation says more than that two have to do with each other. @param {readonly Relation[]} relations */
export const isUnspecific = (relations) => relations.every((one) => UNSPECIFIC.includes(one.type));

/** The types of relations, the most frequent first. @param {readonly Relation[]} relations */
export function typesOf(relations) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { type } of relations) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([type]) => type);
}

/**
 * Choose who is drawn: the best connected of those that the filters leave.
 * @param {readonly Entity[]} entities
 * @param {readonly Relation[]} relations
 * @param {Choice} choice
 * @returns {Cast}
 */
export function castOf(entities, relations, { kinds, types, hidden, focus, most }) {
  const known = new Map(entities.map((one) => [one.name, one]));
  const kindOf = (/** @type {string} */ name) => known.get(name)?.kind ?? UNKNOWN_KIND;
  const isShown = (/** @type {string} */ name) => name === focus || (!hidden.has(name) && !kinds.has(kindOf(name)));
  const left = relations.filter((one) => !types.has(one.type) && isShown(one.source) && isShown(one.target));
  const all = around(pairsOf(left), focus);
  const degrees = degreesOf(all);
  const rank = (/** @type {string} */ name) => [name === focus ? 1 : 0, degrees.get(name) ?? 0, known.get(name)?.mentions ?? 0];
  const chosen = new Set([...degrees.keys()].sort((one, other) => compared(rank(other), rank(one))).slice(0, most));
  const pairs = all.filter((one) => chosen.has(one.source) && chosen.has(one.target));
  const drawn = degreesOf(pairs);
  if (focus !== null && !drawn.has(focus)) drawn.set(focus, 0);
  const nodes = [...drawn.keys()].map((name) => ({ name, kind: kindOf(name), degree: degrees.get(name) ?? 0 }));
  if (relations.length === 0 && focus === null) return alone(entities.filter((one) => isShown(one.name)), most);
  return { nodes, pairs, known: Math.max(degrees.size, nodes.length) };
}

/** Those who are named most, where nobody is known to be tied to anybody. @param {readonly Entity[]} entities @param {number} most @returns {Cast} */
function alone(entities, most) {
  const ranked = [...entities].sort((one, other) => other.mentions - one.mentions);
  return { nodes: ranked.slice(0, most).map(({ name, kind, mentions }) => ({ name, kind, degree: mentions })), pairs: [], known: entities.length };
}

/** @param {Pair[]} pairs @param {string | null} focus */
function around(pairs, focus) {
  if (focus === null) return pairs;
  const near = new Set(pairs.filter((one) => one.source === focus || one.target === focus).flatMap((one) => [one.source, one.target]));
  return pairs.filter((one) => near.has(one.source) && near.has(one.target));
}

/** To how many others each name is tied. @param {readonly Pair[]} pairs */
export function degreesOf(pairs) {
  /** @type {Map<string, number>} */
  const degrees = new Map();
  for (const name of pairs.flatMap((one) => [one.source, one.target])) degrees.set(name, (degrees.get(name) ?? 0) + 1);
  return degrees;
}

/** @param {number[]} one @param {number[]} other */
function compared(one, other) {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}
