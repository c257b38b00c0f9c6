// @ts-check
/** The verdict on an answer, in a word. */

/** @typedef {Pick<import('../../api/threads.js').Turn, 'status' | 'confidence' | 'passed'> & Partial<Pick<import('../../api/threads.js').Turn, 'library' | 'as_of' | 'tool_calls' | 'notes'>>} Judged */
/** @typedef {'high' | 'middle' | 'low' | 'checked' | 'partly' | 'unverified' | 'unrated' | 'notFound' | 'notInBook' | 'notRead' | 'clarify' | 'failed'} Word */
/** @typedef {'good' | 'fair' | 'bad' | 'plain'} Tone */

const HIGH = 0.75;
const MIDDLE = 0.5;
const BESIDE_BOOK = /^(?:semantic_search|keyword_search|query_table|list_documents|knowledge_network_\w+|recall_memories)$/;

/**
 * Return the word and its tone; null where nothing is to be said. What did not pass, or was not verified whole, is not called sure.
 * @param {Judged} turn
 * @returns {{ word: Word, tone: Tone } | null}
 */
export function verdictOf({ status, confidence, passed, library, as_of, tool_calls, notes = [] }) {
  if (!status || status === 'chat') return null;
  if (status === 'not_found') return { word: !isOfBook({ library, tool_calls }) ? 'notFound' : as_of ? 'notRead' : 'notInBook', tone: 'plain' };
  if (status !== 'answer') return { word: status, tone: status === 'failed' ? 'bad' : 'plain' };
  if (typeof confidence === 'number' && confidence < MIDDLE) return { word: 'low', tone: 'bad' };
  if (passed === false) return { word: 'unverified', tone: 'bad' };
  if (typeof confidence === 'number' && confidence < HIGH) return { word: 'middle', tone: 'fair' };
  if (notes.some((one) => one.action === 'flagged')) return { word: 'partly', tone: 'fair' };
  if (typeof confidence === 'number') return { word: 'high', tone: 'good' };
  return passed ? { word: 'checked', tone: 'good' } : { word: 'unrated', tone: 'plain' };
}

/** Return whether a book was asked and nothing else. @param {Pick<Judged, 'library' | 'tool_calls'>} turn */
export const isOfBook = ({ library, tool_calls = [] }) => Boolean(library) && !tool_calls.some(({ tool }) => BESIDE_BOOK.test(String(tool)));
