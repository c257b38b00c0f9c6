// @ts-check
/** The words for kinds of entities and types of relations; what the page does not know is shown as it is. */
import { t } from '../../i18n/index.js';
import { language } from '../../store.js';

const KINDS = /** @type {const} */ ({
  Character: 'people.kindCharacter', Location: 'people.kindLocation', Organization: 'people.kindOrganization',
  Event: 'people.kindEvent', Item: 'people.kindItem', Object: 'people.kindItem', Other: 'people.kindOther', Entity: 'people.kindOther',
});
const TYPES = /** @type {const} */ ({
  FAMILY_OF: 'people.typeFamily', FRIEND_OF: 'people.typeFriend', ENEMY_OF: 'people.typeEnemy', PARTNER_OF: 'people.typePartner',
  MEMBER_OF: 'people.typeMember', LEADER_OF: 'people.typeLeader', LOCATED_IN: 'people.typeLocated',
  INTERACTS_WITH: 'people.typeInteracts', PARTICIPATED_IN: 'people.typeParticipated', OCCURRED_AT: 'people.typeOccurred', RELATED_TO: 'people.typeInteracts', HOMETOWN: 'people.typeHometown', OWNER_OF: 'people.typeOwner',
});
const LONGEST = 14, LONGEST_WORD = 6;

/** @param {string} kind */
export const kindText = (kind) => (Object.hasOwn(KINDS, kind) ? t(KINDS[/** @type {keyof typeof KINDS} */ (kind)]) : kind);

/** @param {string} type */
export const typeText = (type) =>
  Object.hasOwn(TYPES, type) ? t(TYPES[/** @type {keyof typeof TYPES} */ (type)]) : type.toLowerCase().replaceAll('_', ' ');

/** A text of at most so many characters, for a picture. @param {string} text @param {number} [most] */
export function short(text, most = LONGEST) {
  const points = [...text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()];
  return points.length > most ? `${points.slice(0, most - 1).join('')}…` : points.join('');
}

/** Whether a text is in the language of the page. @param {string} text */
const isOurs = (text) => /\p{Script=Han}/u.test(text) === (language.value === 'zh');

/**
 * What an edge says: what the text says of the two where it is short and in the page's language, or the types.
 * @param {import('./pairs.js').Pair} pair
 */
export function edgeText({ relations, types }) {
  const said = [...new Set(relations.map((one) => one.description).filter((one) => one && [...one].length <= LONGEST_WORD && isOurs(one)))];
  const words = relations.length === 1 && said.length === 1 ? said : types.map(typeText);
  return words.length > 2 ? `${words.slice(0, 2).join(' · ')} +${words.length - 2}` : words.join(' · ');
}

/** @param {{ part: number | null, chapter: number | null }} place @param {boolean} hasParts */
export function placeOf({ part, chapter }, hasParts) {
  if (chapter === null) return t('people.noPlace');
  return hasParts ? t('people.partChapter', { part: part ?? 1, n: chapter }) : t('parts.chapter', { n: chapter });
}
