// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { begun, callsOf, heard, shownText, shownTurns } from '../../../wenmai/web/page/views/desk/live.js';
import { asksNetworks, fieldsOf, withNetwork } from '../../../wenmai/web/page/views/desk/kits.js';
import { keep, lost, release, releaseAll, withLost } from '../../../wenmai/web/page/views/desk/lost.js';
import { isRemoved } from '../../../wenmai/web/page/views/desk/documents.js';
import { cut } from '../../../wenmai/web/page/views/desk/marks.js';
import { chapterOf, isBeyond, pieces, rangeOf } from '../../../wenmai/web/page/views/desk/places.js';
import { wordsOf } from '../../../wenmai/web/page/views/desk/turn-actions.js';
import { verdictOf } from '../../../wenmai/web/page/views/desk/verdicts.js';
import { meaning } from '../../../wenmai/web/page/views/desk/composer.js';
import { citedOf } from '../../../wenmai/web/page/views/desk/conversation.js';
import { newId } from '../../../wenmai/web/page/views/desk/ids.js';

/** @param {...[string, object]} events */
const after = (...events) => events.reduce((live, [name, data]) => heard(live, { name, data }), begun('谁？', 0));

test('steps come in the order of the stream, and planning that writes is drafting', () => {
  const live = after(['step', { node: 'resolve_pronouns' }], ['step', { node: 'plan' }], ['step', { node: 'tool_call' }],
    ['tool', { event: 'tool_start', call: 1, tool: 'search_memory', args: { query: '甲' } }], ['tool', { event: 'tool_start', call: 2, tool: 'stop', args: {} }],
    ['tool', { event: 'tool_end', call: 1, tool: 'search_memory', ok: true, items: 7 }], ['step', { node: 'plan' }], ['draft', { text: '甲' }],
    ['draft', { text: '[1]' }], ['step', { node: 'grade' }], ['step', { node: 'refine' }]);
  assert.deepEqual(live.steps.map((one) => [one.kind, one.found]), [['understand', 0], ['plan', 0], ['search', 7], ['draft', 0], ['check', 0]]);
  assert.deepEqual(live.calls, [{ call: 1, tool: 'search_memory', args: { query: '甲' }, ok: true, items: 7 }]);
  assert.equal(live.draft, '甲[1]');
});

test('a withdrawn draft is kept with its reason, nothing is withdrawn twice', () => {
  const live = after(['draft', { text: '错' }], ['reset', { text: '未通过' }], ['reset', { text: '又' }], ['draft', { text: '对' }]);
  assert.deepEqual([live.withdrawn, live.draft], [[{ text: '错', reason: '未通过' }], '对']);
});

test('the checked text takes the place of the draft only when nothing shrinks by it', () => {
  const drafted = after(['draft', { text: '一二三' }], ['text', { text: '一' }]);
  assert.deepEqual(shownText(drafted), { text: '一二三', isDraft: true });
  assert.deepEqual(shownText(heard(drafted, { name: 'citations', data: { citations: [] } })), { text: '一', isDraft: false });
  const done = heard(drafted, { name: 'answer', data: { answer: '一二', citations: [{ n: 1 }] } });
  assert.deepEqual([done.phase, done.text, done.citations], ['done', '一二', [{ n: 1 }]]);
});

test('words of an answer are without markup, rows of tables and rules', () => {
  const answer = '##人物\n\n| 人 | 事 |\n|---|---|\n| 甲 | 守塔[1] |\n\n---\n**要点**：a-b [2]\n- 一';
  assert.equal(wordsOf(answer), '人物\n\n人 · 事\n甲 · 守塔\n\n要点：a-b\n- 一');
});

test('events that nobody knows change nothing', () => {
  const live = begun('谁？', 0);
  for (const name of ['constructor', 'toString', 'node', 'later']) assert.equal(heard(live, { name, data: {} }), live);
});

test('a question without its answer is shown until it is asked again', () => {
  const [one, two, again] = [{ question: 'a', answer: 'x' }, { question: 'b', answer: '' }, { question: 'b', answer: 'y' }];
  assert.deepEqual(shownTurns([one, two], null), [one, two]);
  assert.deepEqual(shownTurns([one, two], 'b'), [one]);
  assert.deepEqual(shownTurns([one, two, again], null), [one, again]);
  assert.deepEqual(shownTurns([one], 'a'), [one]);
  assert.deepEqual(callsOf([{ call: 1, tool: 'stop' }, { call: 2, tool: 'x', args: {}, ok: true, items: 1 }]).map((call) => call.tool), ['x']);
});

test('every lost question is kept with its place, until it is answered', () => {
  const kept = new Map();
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    value: { getItem: (/** @type {string} */ name) => kept.get(name) ?? null, setItem: (/** @type {string} */ name, /** @type {string} */ value) => kept.set(name, value) },
  });
  keep('t', 'a', 0);
  keep('t', 'b', 1);
  keep('u', 'c', 0);
  keep('t', 'a', 2);
  assert.deepEqual(lost('t'), [{ question: 'b', after: 1 }, { question: 'a', after: 2 }]);
  release('t', 'b');
  assert.deepEqual(lost('t').map((one) => one.question), ['a']);
  releaseAll('t');
  assert.deepEqual([lost('t').length, lost('u').length, lost('v').length], [0, 1, 0]);
});

test('a lost question stands where it was asked, and not where the server has it', () => {
  const turns = /** @type {any[]} */ ([{ number: 1, question: 'a', answer: 'x' }, { number: 2, question: 'b', answer: '' }]);
  const shown = (/** @type {any[]} */ missed) => withLost(turns, missed).map((one) => one.question).join('');
  assert.equal(shown([{ question: 'c', after: 0 }, { question: 'd', after: 1 }, { question: 'e', after: 9 }]), 'cadbe');
  assert.equal(shown([{ question: 'b', after: 1 }, { question: 'a', after: 1 }]), 'aab');
  assert.deepEqual(withLost([], [{ question: 'c', after: 4 }]).map((one) => [one.question, one.answer]), [['c', '']]);
});

test('a document is removed once the list is known not to have it', () => {
  const all = /** @type {any[]} */ ([{ filename: 'x.txt', folder: null }]);
  assert.deepEqual([isRemoved({ all, isKnown: true }, 'x.txt'), isRemoved({ all, isKnown: true }, 'y.txt'), isRemoved({ all: [], isKnown: false }, 'y.txt')], [false, true, false]);
});

test('a document of one name in another folder is another one', () => {
  const all = /** @type {any[]} */ ([{ filename: 'stalls.csv', folder: '2024' }]);
  assert.deepEqual(['2024/stalls.csv', '2023/stalls.csv', 'stalls.csv', null].map((source) => isRemoved({ all, isKnown: true }, source)), [false, true, false, true]);
});

test('a text is cut at its marks', () => {
  assert.deepEqual(cut('甲[1][2]乙[x]。[12]'), ['甲', 1, 2, '乙[x]。', 12]);
  assert.deepEqual(cut('[1234] []'), ['[1234] []']);
});

const TEXT = [...'𠮷野家，灯亮。灯灭。'];

test('offsets count code points, and words that moved are found again', () => {
  assert.deepEqual(rangeOf(TEXT, { n: 1, quote: '灯亮', start: 4, end: 6 }), { n: 1, start: 4, end: 6 });
  assert.deepEqual(rangeOf(TEXT, { n: 1, quote: '灯灭', start: 0, end: 2 }), { n: 1, start: 7, end: 9 });
  assert.equal(rangeOf(TEXT, { n: 1, quote: '无', start: 0, end: 1 }), null);
  assert.equal(rangeOf(TEXT, { n: 1, quote: '', start: null, end: null }), null);
});

test('a text is cut at its quotes; of two that overlap the first stays', () => {
  const found = pieces(TEXT, [{ n: 2, start: 7, end: 9 }, { n: 1, start: 4, end: 6 }, { n: 3, start: 5, end: 8 }]);
  assert.deepEqual(found.map((one) => [one.text, one.n]), [['𠮷野家，', null], ['灯亮', 1], ['。', null], ['灯灭', 2], ['。', null]]);
  assert.equal(pieces(TEXT, []).map((one) => one.text).join(''), TEXT.join(''));
});

test('a citation belongs to the chapter of its source, part, number and title', () => {
  const place = { source: 's', part: 1, chapter: 1, copy_number: 0, title: '一', characters: 1 };
  const chapters = [{ ...place, source: 'other' }, place, { ...place, copy_number: 1, title: '又一' }, { ...place, chapter: null, title: '序' }];
  const citation = /** @type {any} */ ({ n: 1, source: 's', part: 1, chapter: 1, title: '又一' });
  assert.deepEqual([citation, { ...citation, title: '?' }, { ...citation, chapter: null, title: '序' }, { ...citation, source: 'x' }].map((one) => chapterOf(chapters, one)), [2, 1, 3, -1]);
});

test('what comes after the guard is hidden', () => {
  const guard = { part: 2, chapter: 3 };
  assert.deepEqual([[1, 9], [2, 3], [2, 4], [3, 1], [null, null]].map(([part, chapter]) => isBeyond({ part, chapter }, guard)), [false, false, true, true, false]);
  assert.equal(isBeyond({ part: 9, chapter: 9 }, null), false);
});

test('the address names a citation of its turn, else of the last turn that has it', () => {
  const turns = /** @type {any[]} */ ([{ number: 1, citations: [{ n: 1 }, { n: 2 }] }, { number: 2, citations: [{ n: 1 }] }]);
  assert.equal(citedOf(turns, { cite: '2' })?.turn.number, 1);
  assert.equal(citedOf(turns, { cite: '1' })?.turn.number, 2);
  assert.equal(citedOf(turns, { cite: '1', turn: '1' })?.turn.number, 1);
  assert.deepEqual([{}, { cite: 'x' }, { cite: '9' }, { cite: '1', turn: '7' }].map((query) => citedOf(turns, /** @type {any} */ (query))), [null, null, null, null]);
});

test('the verdict is a word, and what did not pass is never called sure', () => {
  const word = (/** @type {any} */ turn) => verdictOf(turn)?.word;
  assert.deepEqual([0.9, 0.6, 0.2, null].map((confidence) => word({ status: 'answer', confidence, passed: true })), ['high', 'middle', 'low', 'checked']);
  assert.deepEqual([0.9, 0.7, 0.2, null].map((confidence) => word({ status: 'answer', confidence, passed: false })), ['unverified', 'unverified', 'low', 'unverified']);
  assert.deepEqual(['not_found', 'clarify', 'failed', 'chat', null].map((status) => word({ status, confidence: 0.9, passed: null })), ['notFound', 'clarify', 'failed', undefined, undefined]);
  const nowhere = (/** @type {string | null} */ library, /** @type {string[]} */ ...tools) => word({ status: 'not_found', library, tool_calls: tools.map((tool) => ({ tool })) });
  assert.deepEqual([nowhere('b', 'search_memory'), nowhere('b', 'search_memory', 'keyword_search'), nowhere('', 'knowledge_network_query')], ['notInBook', 'notFound', 'notFound']);
  assert.equal(word({ status: 'not_found', library: 'b', as_of: { part: 1, chapter: 2 }, tool_calls: [] }), 'notRead');
  assert.equal(word({ status: 'not_found', library: 'b', as_of: { part: 1, chapter: 2 }, tool_calls: [{ tool: 'keyword_search' }] }), 'notFound');
  assert.equal(word({ status: 'answer', confidence: null, passed: null }), 'unrated');
  const notes = [{ action: 'flagged' }];
  assert.deepEqual([0.9, 0.6, null].map((confidence) => word({ status: 'answer', confidence, passed: true, notes })), ['partly', 'middle', 'partly']);
});

test('Enter sends, but not what an input method composes; ArrowUp edits only an empty field', () => {
  const key = (/** @type {string} */ name, /** @type {object} */ more = {}) => /** @type {any} */ ({ key: name, ...more });
  assert.equal(meaning(key('Enter'), 'x'), 'send');
  assert.deepEqual([{ shiftKey: true }, { isComposing: true }, { keyCode: 229 }].map((more) => meaning(key('Enter', more), 'x')), [null, null, null]);
  assert.deepEqual([meaning(key('ArrowUp'), ''), meaning(key('ArrowUp'), 'x'), meaning(key('a'), ''), meaning(key('Escape'), 'x')], ['edit', null, null, 'leave']);
});

test('by itself the book answers, with the documents of the thread where there are some', () => {
  const book = { library: 'b', networks: [] };
  assert.deepEqual(fieldsOf(null, { ...book, hasDocuments: false }), {});
  assert.deepEqual(fieldsOf(null, { ...book, hasDocuments: true }), { toolkits: ['narrative', 'documents'] });
});

test('without a book the documents and all networks answer, never a book', () => {
  const alone = { library: null, networks: ['k', 'l'] };
  assert.deepEqual(fieldsOf(null, { ...alone, hasDocuments: false }), { toolkits: ['knowledge'], kn_ids: ['k', 'l'] });
  assert.deepEqual(fieldsOf(null, { ...alone, hasDocuments: true }), { toolkits: ['documents', 'knowledge'], kn_ids: ['k', 'l'] });
  assert.deepEqual(fieldsOf(null, { library: null, networks: [], hasDocuments: false }), { toolkits: ['documents'] });
  assert.deepEqual([asksNetworks(null, null), asksNetworks(null, 'b')], [true, false]);
});

test('networks are asked that were chosen and are still there, else all', () => {
  const there = { library: 'b', hasDocuments: false, networks: ['k', 'l'] };
  /** @param {string[]} networks */
  const asked = (networks) => fieldsOf({ kits: ['knowledge'], networks }, there).kn_ids;
  assert.deepEqual([asked([]), asked(['l']), asked(['gone'])], [['k', 'l'], ['l'], ['k', 'l']]);
  assert.deepEqual(fieldsOf({ kits: ['memory', 'knowledge'], networks: [] }, { ...there, networks: [] }), { toolkits: ['memory'] });
});

test('a network is taken out and put back; without any the kit is off', () => {
  const all = ['k', 'l'];
  const one = withNetwork({ kits: ['memory', 'knowledge'], networks: [] }, 'k', all);
  assert.deepEqual(one.networks, ['l']);
  assert.deepEqual(withNetwork(one, 'k', all).networks, []);
  assert.deepEqual(withNetwork(one, 'l', all), { kits: ['memory'], networks: [] });
});

test('a new id is a UUID of version 4', () => {
  assert.match(newId(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(newId(), newId());
});
