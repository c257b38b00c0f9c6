// @ts-check
/** Questions to begin with, made of what the book holds up to the guard; in the book's language, so that it understands them. */
import en from '../../i18n/en/desk.js';
import zh from '../../i18n/zh/desk.js';

/** @typedef {Pick<import('../../api/stories.js').Entity, 'name' | 'kind'>} Named */
/** @typedef {{ entities: readonly Named[], events: readonly { name: string }[], chapters: readonly { title: string }[] }} Known */

const WORDS = { zh, en };
const PEOPLE = 'Character';

/**
 * @param {'zh' | 'en'} spoken
 * @param {Known} known  entities with the most mentioned first, the rest in reading order
 * @returns {string[]}
 */
export function suggest(spoken, { entities, events, chapters }) {
  const words = WORDS[spoken];
  const [first, second, third] = entities.filter((one) => one.kind === PEOPLE).map((one) => one.name);
  const event = events[Math.floor(events.length / 2)]?.name;
  const chapter = chapters.at(-1)?.title;
  return [
    first && filled(words.who, { name: first }),
    second && filled(words.between, { name: first, other: second }),
    event && filled(words.happened, { name: event }),
    third && filled(words.who, { name: third }),
    chapter && filled(words.inChapter, { name: chapter }),
  ].filter((one) => typeof one === 'string' && one !== '').map(String);
}

/** @param {import('../../i18n/index.js').Message} message @param {Record<string, string>} values */
const filled = (message, values) => String(message).replace(/\{(\w+)\}/g, (_, name) => values[name]);
