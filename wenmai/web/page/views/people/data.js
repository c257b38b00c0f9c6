// @ts-check
/** All that the view asks the server for, up to the guard. */
import * as server from '../../api/server.js';
import * as stories from '../../api/stories.js';
import { hasParts, positions } from '../../parts/positions.js';
import { degreesOf, pairsOf } from './pairs.js';

/**
 * @typedef {object} Known
 * @property {stories.Entity[]} entities
 * @property {stories.Relation[]} relations
 * @property {import('../../parts/positions.js').Position[]} places
 * @property {ReadonlyMap<string, import('./counts.js').Count[]>} counts
 * @property {ReadonlyMap<string, number>} degrees
 * @property {boolean} hasParts
 * @property {boolean} isAdmin  who may mend names, which are everybody's
 */

/** @param {string} library @param {stories.Reading} reading @returns {Promise<Known>} */
export async function load(library, reading) {
  const [entities, relations, counts, chapters, me] = await Promise.all([
    stories.entities(library, reading), stories.relations(library, reading), stories.appearances(library, reading), stories.chapters(library, reading), server.me(reading.signal)]);
  const places = positions(chapters);
  return { entities, relations, counts: new Map(Object.entries(counts)), places, degrees: degreesOf(pairsOf(relations)), hasParts: hasParts(places), isAdmin: me.is_admin };
}
