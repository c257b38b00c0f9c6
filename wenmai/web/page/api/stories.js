// @ts-check
/** What a library tells: chapters, passages, entities, relations, events. Every read takes the guard. */
import { every, guarded, json, path } from './http.js';

/** @typedef {import('./http.js').Schemas} Schemas */
/** @typedef {import('./http.js').Guard} Guard */
/** @typedef {Schemas['ChapterPlace']} ChapterPlace */
/** @typedef {Schemas['ChapterText']} ChapterText */
/** @typedef {Schemas['PassageView']} Passage */
/** @typedef {Schemas['EvidenceView']} Evidence */
/** @typedef {Schemas['QuoteView']} Quote */
/** @typedef {Schemas['EntityView']} Entity */
/** @typedef {Schemas['EntityDetail']} EntityDetail */
/** @typedef {Schemas['RelationView']} Relation */
/** @typedef {Schemas['EventView']} StoryEvent */
/** @typedef {Schemas['Neighbours']} Neighbours */
/** @typedef {Schemas['MergeResult']} MergeResult */
/** @typedef {Schemas['Narrators']} Narrators */
/** @typedef {Schemas['ChapterNarrator']} ChapterNarrator */
/** @typedef {Schemas['SummaryView']} Summary */
/** @typedef {{ source: string, part: number, chapter: number | null, copy_number: number }} ChapterKey */
/** @typedef {{ guard?: Guard | null, signal?: AbortSignal, query?: import('./http.js').Query }} Reading */

/** @param {Reading} [reading] */
const options = ({ guard, signal, query } = {}) => ({ signal, query: { ...query, ...guarded(guard) } });

/** @param {string} library @param {Reading} [reading] @returns {Promise<ChapterPlace[]>} */
export const chapters = (library, reading) => every(path`libraries/${library}/chapters`, options(reading));

/** @param {string} library @param {ChapterKey} key @param {Reading} [reading] @returns {Promise<ChapterText>} */
export const chapterText = (library, { source, part, chapter, copy_number }, reading) =>
  json('GET', path`libraries/${library}/chapters/text`, options({ ...reading, query: { source, part, chapter, copy_number } }));

/** query: kind, entity, part, chapter
 * @param {string} library @param {Reading} [reading] @returns {Promise<Summary[]>} */
export const summaries = (library, reading) => every(path`libraries/${library}/summaries`, options(reading));

/** query: source, entity, from_chapter, to_chapter, limit, offset
 * @param {string} library @param {Reading} [reading] @returns {Promise<import('./http.js').Page<Passage>>} */
export const passages = (library, reading) => json('GET', path`libraries/${library}/passages`, options(reading));

/** query: context (characters on each side)
 * @param {string} library @param {string} id @param {Reading} [reading] @returns {Promise<Evidence>} */
export const evidence = (library, id, reading) => json('GET', path`libraries/${library}/evidence/${id}`, options(reading));

/** query: context; start and end count code points in the chapter
 * @param {string} library @param {ChapterKey & { start: number, end: number }} key @param {Reading} [reading] @returns {Promise<Quote>} */
export const quote = (library, { source, part, chapter, copy_number, start, end }, reading) => {
  const query = { ...reading?.query, source, part, chapter, copy_number, start, end };
  return json('GET', path`libraries/${library}/quotes`, options({ ...reading, query }));
};

/** query: q, limit; the first entities with words in their names
 * @param {string} library @param {Reading} [reading] @returns {Promise<import('./http.js').Page<Entity>>} */
export const foundEntities = (library, reading) => json('GET', path`libraries/${library}/entities`, options(reading));

/** query: q, limit; the first events with words in them
 * @param {string} library @param {Reading} [reading] @returns {Promise<import('./http.js').Page<StoryEvent>>} */
export const foundEvents = (library, reading) => json('GET', path`libraries/${library}/events`, options(reading));

/** query: q, kind
 * @param {string} library @param {Reading} [reading] @returns {Promise<Entity[]>} */
export const entities = (library, reading) => every(path`libraries/${library}/entities`, options(reading));

/** @param {string} library @param {string} name @param {Reading} [reading] @returns {Promise<EntityDetail>} */
export const entity = (library, name, reading) => json('GET', path`libraries/${library}/entities/${name}`, options(reading));

/** @typedef {Schemas['FoundText']} FoundText */
/** @typedef {Schemas['NameMark']} NameMark */
/** @typedef {Schemas['KeptPlace']} KeptPlace */

/** query: q, limit, offset; where words stand in the text
 * @param {string} library @param {Reading} [reading] @returns {Promise<import('./http.js').Page<FoundText>>} */
export const find = (library, reading) => json('GET', path`libraries/${library}/find`, options(reading));

/** query: q, limit; the passages nearest to a question
 * @param {string} library @param {Reading} [reading] @returns {Promise<Passage[]>} */
export const nearest = async (library, reading) => (await json('GET', path`libraries/${library}/nearest`, options(reading))).passages;

/** Who is named where in a chapter. @param {string} library @param {ChapterKey} key @param {Reading} [reading] @returns {Promise<NameMark[]>} */
export const chapterNames = async (library, { source, part, chapter, copy_number }, reading) =>
  (await json('GET', path`libraries/${library}/chapters/names`, options({ ...reading, query: { source, part, chapter, copy_number } }))).names;

/** Where the reader was last. @param {string} library @param {Reading} [reading] @returns {Promise<KeptPlace | null>} */
export const place = (library, reading) => json('GET', path`libraries/${library}/place`, options(reading));

/** @param {string} library @param {Schemas['ReadingPlace']} at @returns {Promise<KeptPlace>} */
export const setPlace = (library, at) => json('PUT', path`libraries/${library}/place`, { body: at });

/** query: relation, depth, limit
 * @param {string} library @param {string} name @param {Reading} [reading] @returns {Promise<Neighbours>} */
export const neighbours = (library, name, reading) =>
  json('GET', path`libraries/${library}/neighbours`, options({ ...reading, query: { ...reading?.query, entity: name } }));

/** query: entity, other, type
 * @param {string} library @param {Reading} [reading] @returns {Promise<Relation[]>} */
export const relations = (library, reading) => every(path`libraries/${library}/relations`, options(reading));

/** query: q, entity, type
 * @param {string} library @param {Reading} [reading] @returns {Promise<StoryEvent[]>} */
export const events = (library, reading) => every(path`libraries/${library}/events`, options(reading));

/** @param {string} library @param {string} name @param {string} into @returns {Promise<MergeResult>} */
export const merge = (library, name, into) => json('POST', path`libraries/${library}/merges`, { body: { name, into } });

/** @param {string} library @param {string} name @returns {Promise<MergeResult>} */
export const split = (library, name) => json('POST', path`libraries/${library}/splits`, { body: { name } });

/** For each entity its chapters as [part, chapter, passages that name it].
 * @param {string} library @param {Reading} [reading] @returns {Promise<Schemas['Appearances']['entities']>} */
export const appearances = async (library, reading) =>
  (await json('GET', path`libraries/${library}/appearances`, options(reading))).entities;

/** @param {string} library @param {string} name @param {string} to @returns {Promise<MergeResult>} */
export const rename = (library, name, to) => json('POST', path`libraries/${library}/renames`, { body: { name, to } });

/** Who narrates each chapter. @param {string} library @param {Reading} [reading] @returns {Promise<ChapterNarrator[]>} */
export const narrators = async (library, reading) => (await json('GET', path`libraries/${library}/narrators`, options(reading))).chapters;

/** The answer lists all chapters, whatever the guard is: of a change only `passages` may be shown.
 * @param {string} library @param {Schemas['Narrator']} narrator @returns {Promise<Narrators>} */
export const setNarrator = (library, narrator) => json('POST', path`libraries/${library}/narrators`, { body: narrator });

/** @param {string} library @returns {Promise<Narrators>} */
export const undoNarrators = (library) => json('DELETE', path`libraries/${library}/narrators`);

/** @typedef {Schemas['ChangeView']} Change */
/** @typedef {Schemas['ChangeResult']} ChangeResult */
/** @typedef {NonNullable<Schemas['Kind']['kind']>} EntityKind */

/** Say what an entity is; null: that it is no name. @param {string} library @param {string} name @param {EntityKind | null} kind @returns {Promise<ChangeResult>} */
export const setKind = (library, name, kind) => json('POST', path`libraries/${library}/kinds`, { body: { name, kind } });

/** What people have decided on names; nothing under a guard. @param {string} library @param {Reading} [reading] @returns {Promise<Change[]>} */
export const changes = async (library, reading) => (await json('GET', path`libraries/${library}/changes`, options(reading))).changes;

/** @param {string} library @param {string} id @returns {Promise<ChangeResult>} */
export const undoChange = (library, id) => json('DELETE', path`libraries/${library}/changes/${id}`);
