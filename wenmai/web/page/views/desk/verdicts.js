// @ts-check
/** The verdict on an answer, in a word. */

/** @typedef {Pick<import('../../api/threads.js').Turn, 'status' | 'confidence' | 'passed'>} Judged */
/** @typedef {'high' | 'middle' | 'low' | 'checked' | 'unverified' | 'unrated' | 'notFound' | 'clarify' | 'failed'} Word */
/** @typedef {'good' | 'fair' | 'bad' | 'plain'} Tone */

const HIGH = 0.75;
const MIDDLE = 0.5;

/**
 * Return the word and its tone; null where nothing is to be said.
 * @param {Judged} turn
 * @returns {{ word: Word, tone: Tone } | null}
 */
export function verdictOf({ status, confidence, passed }) {
  if (!status || status === 'chat') return null;
  if (status === 'not_found') return { word: 'notFound', tone: 'plain' };
  if (status !== 'answer') return { word: status, tone: status === 'failed' ? 'bad' : 'plain' };
  if (typeof confidence === 'number') return levelOf(confidence, passed ?? null);
  if (passed === null || passed === undefined) return { word: 'unrated', tone: 'plain' };
  return passed ? { word: 'checked', tone: 'good' } : { word: 'unverified', tone: 'bad' };
}

/** What did not pass is not called sure. @param {number} confidence @param {boolean | null} passed @returns {{ word: Word, tone: Tone }} */
function levelOf(confidence, passed) {
  if (confidence >= HIGH) return passed === false ? { word: 'unverified', tone: 'bad' } : { word: 'high', tone: 'good' };
  return confidence >= MIDDLE ? { word: 'middle', tone: 'fair' } : { word: 'low', tone: 'bad' };
}
