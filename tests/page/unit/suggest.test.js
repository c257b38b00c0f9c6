// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { suggest, suggestOfNetwork } from '../../../wenmai/web/page/views/desk/suggest.js';

test('a network is asked what a row says and how many rows there are, in the language of its labels', () => {
  /** @param {string} name @param {string} label @param {string} row @param {unknown} value @returns {any} */
  const known = (name, label, row, value) => ({ type: { id: name, name, comment: '', properties: [{ name: 'id', display_name: 'id', is_key: true }, { name: 'p', display_name: label, is_key: false }] }, rows: [{ type: name, id: '1', name: row, display: row, properties: { id: '1', p: value } }] });
  assert.deepEqual(suggestOfNetwork([known('船只', '载重', '云雀号', 180), known('人员', '籍贯', '谭月卿', '柳浦')]), ['云雀号的载重是多少？', '谭月卿的籍贯是什么？', '一共有多少船只？']);
  assert.deepEqual(suggestOfNetwork([known('Ship', 'Home port', 'Lark', 'x'), known('Port', 'kind', 'Quay', '')]), ['What is the home port of Lark?', 'How many ship records are there?']);
  assert.deepEqual(suggestOfNetwork([known('船只', '在航', '云雀号', true)])[0], '云雀号的在航是什么？');
  assert.deepEqual(suggestOfNetwork([]), []);
});

test('suggestions are made of what the book holds, in its language', () => {
  const person = (/** @type {string} */ name) => ({ name, kind: 'Character' });
  const known = { entities: [{ name: '雾港', kind: 'Location' }, person('甲'), person('乙'), person('丙')], related: ['甲', '雾港', '丙'], events: [{ name: '相逢' }],
    chapters: [{ part: 1, chapter: 1 }, { part: 1, chapter: 2 }, { part: 1, chapter: null }] };
  assert.deepEqual(suggest('zh', known), ['甲是谁？', '甲和丙是什么关系？', '相逢是怎么回事？', '乙后来怎么样了？', '第2章讲了什么？']);
  assert.deepEqual(suggest('zh', { ...known, related: [], events: [], chapters: [{ part: 2, chapter: 9 }] }), ['甲是谁？', '乙后来怎么样了？', '第2部第9章讲了什么？']);
  assert.deepEqual(suggest('zh', { ...known, related: ['乙'], events: [], chapters: [] }), ['甲是谁？', '甲和乙是什么关系？', '丙后来怎么样了？']);
  const bare = { related: [], events: [], chapters: [] };
  assert.deepEqual(suggest('en', { ...bare, entities: [person('Ann $& {other}')] }), ['Who is Ann $& {other}?']);
  assert.deepEqual([{ name: 'Ann finds the key', primary_character: 'Ann Bell' }, { name: 'The key', primary_character: 'Ann Bell' }].map((event) => suggest('en', { ...bare, entities: [], events: [event] })[0]), ['What happens when Ann finds the key?', 'Tell me about this: The key']);
  assert.deepEqual(suggest('zh', { ...bare, entities: [] }), []);
});
