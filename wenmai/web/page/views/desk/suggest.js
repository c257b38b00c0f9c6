// @ts-check
/** Questions to begin with, made of what the book holds up to the guard; in the book's language, so that it understands them. */
import en from '../../i18n/en/desk.js';
import zh from '../../i18n/zh/desk.js';

/** @typedef {Pick<import('../../api/stories.js').Entity, 'name' | 'kind'>} Named */
/** @typedef {{ part: number, chapter: number | null }} Place */
/** @typedef {{ entities: readonly Named[], related: readonly string[], events: readonly { name: string, primary_character?: string | null }[], chapters: readonly Place[] }} Known */

const WORDS = { zh, en };
const PEOPLE = 'Character';

/** Return the people, the most mentioned first. @param {readonly Named[]} entities */
export const peopleOf = (entities) => entities.filter((one) => one.kind === PEOPLE).map((one) => one.name);

/**
 * @param {'zh' | 'en'} spoken
 * @param {Known} known  entities with the most mentioned first; who has a relation to the first of the people; the rest in reading order
 * @returns {string[]}
 */
export function suggest(spoken, { entities, related, events, chapters }) {
  const words = WORDS[spoken];
  const people = peopleOf(entities);
  const [first, second, third] = people;
  const other = people.find((one) => one !== first && related.includes(one));
  const another = other === second ? third : second;
  const event = events[Math.floor(events.length / 2)];
  const chapter = chapters.findLast((one) => one.chapter !== null);
  return [
    first && filled(words.who, { name: first }),
    other && filled(words.between, { name: first, other }),
    event && filled(isClause(event) ? words.happens : words.happened, { name: event.name }),
    another && filled(words.later, { name: another }),
    chapter && filled(chapters.some((one) => one.part !== 1) ? words.inPart : words.inChapter, { part: chapter.part, n: Number(chapter.chapter) }),
  ].filter((one) => typeof one === 'string' && one !== '').map(String);
}

/** Whether an event is called by a sentence about somebody. @param {{ name: string, primary_character?: string | null }} event */
const isClause = ({ name, primary_character: who }) => Boolean(who) && name.startsWith(`${String(who).split(' ')[0]} `);

/** @typedef {import('../../api/http.js').Schemas['ObjectTypeView']} Type */
/** @typedef {import('../../api/http.js').Schemas['InstanceView']} Row */

const HAN = /\p{Script=Han}/u;

/**
 * Return questions to a network: what a row says, and how many rows of a type there are; in the language of its labels.
 * @param {readonly { type: Type, rows: readonly Row[] }[]} known  types with their first rows
 * @returns {string[]}
 */
export function suggestOfNetwork(known) {
  const told = known.flatMap(({ type, rows }) => rows.slice(0, 1).flatMap((row) => {
    const label = type.properties.find((one) => !one.is_key && isTold(row.properties[one.name], row.name));
    if (!label) return [];
    const words = wordsFor(type.name);
    return [filled(isNumber(row.properties[label.name]) ? words.ofRowNumber : words.ofRow, { name: row.name, label: inSentence(label.display_name || label.name) })];
  }));
  return [...told.slice(0, 2), ...known.slice(0, 1).map(({ type }) => filled(wordsFor(type.name).howMany, { name: inSentence(type.name) }))];
}

/** A word of English as it stands within a sentence. @param {string} text */
const inSentence = (text) => (/^[A-Z][^A-Z]+$/.test(text) ? text.toLowerCase() : text);

/** @param {unknown} value @param {string} name */
const isTold = (value, name) => value !== null && value !== undefined && value !== '' && value !== name && typeof value !== 'object';

/** @param {unknown} value */
const isNumber = (value) => typeof value !== 'boolean' && !Number.isNaN(Number(value));

/** @param {string} text */
const wordsFor = (text) => WORDS[HAN.test(text) ? 'zh' : 'en'];

/** @param {import('../../i18n/index.js').Message} message @param {Record<string, string | number>} values */
const filled = (message, values) => String(message).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
