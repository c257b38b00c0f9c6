// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { speak } from '../../../wenmai/web/page/i18n/index.js';
import { arranged } from '../../../wenmai/web/page/views/people/arranging.js';
import { bars, firstOf, steps } from '../../../wenmai/web/page/views/people/counts.js';
import { elements, seat } from '../../../wenmai/web/page/views/people/drawing.js';
import { rangesOf } from '../../../wenmai/web/page/views/people/narrators.js';
import { castOf, pairsOf, unspecific } from '../../../wenmai/web/page/views/people/pairs.js';
import { matching } from '../../../wenmai/web/page/views/people/person-search.js';
import { svgOf } from '../../../wenmai/web/page/views/people/saving.js';
import { sorted } from '../../../wenmai/web/page/views/people/table.js';
import { edgeText, short, typeText } from '../../../wenmai/web/page/views/people/words.js';

/** @typedef {import('../../../wenmai/web/page/api/stories.js').Relation} Relation */
/** @typedef {import('../../../wenmai/web/page/api/stories.js').Entity} Entity */

/** @param {string} source @param {string} type @param {string} target @param {string} [description] @returns {Relation} */
const tie = (source, type, target, description = '') => ({ id: `${source}${type}${target}${description}`, source, type, target, description, evidence: '', text_source: null, part: 1, chapter: 1, start: 0 });
/** @param {string} name @param {Partial<Entity>} [more] @returns {Entity} */
const person = (name, more = {}) => ({ name, kind: 'Character', aliases: [], mentions: 1, first_part: 1, first_chapter: 1, merged_by: {}, ...more });

const ENTITIES = [person('a', { mentions: 9 }), person('b'), person('c'), person('d'), person('港', { kind: 'Location' }), person('alone')];
const RELATIONS = [tie('a', 'FAMILY_OF', 'b'), tie('b', 'FRIEND_OF', 'a'), tie('a', 'LOCATED_IN', '港'), tie('a', 'ENEMY_OF', 'c'), tie('c', 'MEMBER_OF', 'd'), tie('d', 'FAMILY_OF', 'd')];
const NONE = { kinds: new Set(), types: new Set(), hidden: new Set(), focus: null, most: 400 };

/** @param {Partial<import('../../../wenmai/web/page/views/people/pairs.js').Choice>} choice */
const drawn = (choice) => castOf(ENTITIES, RELATIONS, { ...NONE, ...choice }).nodes.map((one) => one.name).sort();

test('relations between the same two are one line, whatever their direction', () => {
  const pairs = pairsOf(RELATIONS);
  assert.deepEqual(pairs.map((one) => [one.source, one.target, one.relations.length, one.isDirected]), [['a', 'b', 2, false], ['a', '港', 1, true], ['a', 'c', 1, false], ['c', 'd', 1, true]]);
});

test('the best connected are drawn, with what ties them', () => {
  const { nodes, pairs, known } = castOf(ENTITIES, RELATIONS, { ...NONE, most: 2 });
  assert.deepEqual([nodes.map((one) => one.name).sort(), pairs.length, known], [['a', 'c'], 1, 5]);
  assert.deepEqual(drawn({}), ['a', 'b', 'c', 'd', '港']);
});

test('where nobody is tied to anybody the people stand alone, who is named most first', () => {
  const { nodes, pairs, known } = castOf(ENTITIES, [], { ...NONE, hidden: new Set(['b']), most: 2 });
  assert.deepEqual([nodes.map((one) => one.name), pairs, known], [['a', 'c'], [], 5]);
});

test('filters leave out kinds, relations and who is hidden', () => {
  assert.deepEqual(drawn({ kinds: new Set(['Location']) }), ['a', 'b', 'c', 'd']);
  assert.deepEqual(drawn({ types: new Set(['ENEMY_OF', 'MEMBER_OF']) }), ['a', 'b', '港']);
  assert.deepEqual(drawn({ hidden: new Set(['a']) }), ['c', 'd']);
});

test('around one are those tied to it; it is there also alone and hidden', () => {
  assert.deepEqual(drawn({ focus: 'c' }), ['a', 'c', 'd']);
  assert.deepEqual(drawn({ focus: 'alone', hidden: new Set(['alone']) }), ['alone']);
});

test('a name begins always at the same place, another elsewhere', () => {
  assert.deepEqual(seat('刘备', 100), seat('刘备', 100));
  assert.notDeepEqual(seat('刘备', 100), seat('关羽', 100));
  const { x, y } = seat('', 100);
  assert.ok(Math.hypot(x, y) <= 100);
});

test('every node and line has an element, with names as they are', async () => {
  await speak('en');
  const hostile = '<img src=x onerror=1>';
  const made = elements(castOf([person(hostile), person('b')], [tie(hostile, 'FAMILY_OF', 'b')], NONE));
  assert.deepEqual(made.map((one) => one.data.id), [hostile, 'b', JSON.stringify([hostile, 'b'])]);
});

test('words of a line: what the text says where it is short, or the types', async () => {
  await speak('zh');
  const text = (/** @type {Relation[]} */ ...found) => edgeText(pairsOf(found)[0]);
  assert.equal(text(tie('a', 'FAMILY_OF', 'b', '父女')), '父女');
  assert.equal(text(tie('a', 'FAMILY_OF', 'b', '住在一座很远的灯塔里')), '亲属');
  assert.equal(text(...['FAMILY_OF', 'FRIEND_OF', 'ENEMY_OF'].map((type) => tie('a', type, 'b'))), '敌对 · 亲属 +1');
  assert.equal(text(tie('a', 'FAMILY_OF', 'b', 'father')), '亲属');
  await speak('en');
  assert.deepEqual(['father', '父女'].map((said) => text(tie('a', 'FAMILY_OF', 'b', said))), ['father', 'family']);
  await speak('zh');
  assert.deepEqual([typeText('SWORN_TO'), typeText('constructor')], ['sworn to', 'constructor']);
  assert.deepEqual([short('a\u202eb\n c'), short('一二三四', 3)], ['a b c', '一二…']);
});

test('counts over the chapters are bars, many chapters to a bar in a long book', () => {
  const places = Array.from({ length: 120 }, (_, at) => ({ part: 1, chapter: at + 1 }));
  const values = steps(places, [[1, 1, 2], [1, 2, 3], [1, 120, 1], [1, null, 9], [2, 1, 9]]);
  assert.deepEqual([values.length, values[0], values[59]], [60, 5, 1]);
  assert.equal(bars([0, 2, 1], 30, 10), 'M15 10V0M25 10V5');
  assert.deepEqual(steps([], []), []);
});

test('people are found by name and alias, those first that begin so', () => {
  const all = [person('小陆'), person('陆听雪', { aliases: ['Snow'] }), person('何')];
  assert.deepEqual(matching(all, '陆').map((one) => one.name), ['陆听雪', '小陆']);
  assert.deepEqual(matching(all, 'snow').map((one) => one.name), ['陆听雪']);
  assert.equal(matching(all, ' ').length, 3);
});

test('somebody appears first in the first chapter that has any of the names', () => {
  assert.deepEqual(firstOf([[2, 1, 4], [1, 3, 2], [1, null, 1]]), { part: 1, chapter: 3 });
  assert.deepEqual(firstOf([[1, null, 1]]), { part: null, chapter: null });
});

test('the table sorts', () => {
  const all = [person('b'), person('a', { mentions: 5 }), person('c')];
  const known = { degrees: new Map([['c', 4]]), counts: new Map(/** @type {[string, import('../../../wenmai/web/page/views/people/counts.js').Count[]][]} */ ([['b', [[1, 2, 1]]], ['c', [[1, 3, 1], [1, 1, 1]]]])) };
  const order = (/** @type {import('../../../wenmai/web/page/views/people/table.js').Order} */ by) => sorted(all, by, known).map((one) => one.name).join('');
  assert.deepEqual([order('mentions'), order('name'), order('first'), order('ties')], ['abc', 'abc', 'cba', 'cba']);
});

test('chapters of one narrator, and of one who says so, are a range; one without a number stands alone', () => {
  const row = (/** @type {number} */ part, /** @type {number | null} */ chapter, /** @type {string | null} */ name, /** @type {'text' | 'person'} */ by = 'text') => ({ part, chapter, title: '', name, by });
  const rows = [row(1, null, 'a'), row(1, 1, 'a'), row(1, 2, 'a'), row(1, 3, 'a', 'person'), row(1, 4, null), row(2, 1, null), row(2, 2, null)];
  const found = rangesOf(rows).map((one) => [one.part, one.chapter, one.last, one.name, one.by]);
  assert.deepEqual(found, [[1, null, null, 'a', 'text'], [1, 1, 2, 'a', 'text'], [1, 3, 3, 'a', 'person'], [1, 4, 4, null, 'text'], [2, 1, 2, null, 'text']]);
});

test('boxes that overlap are pushed apart, and fill the shape they are given', () => {
  for (const [count, ratio] of [[20, 2.4], [40, 2.4], [60, 2.4], [60, 0.8], [120, 1]]) {
    const boxes = Array.from({ length: count }, (_, at) => ({ ...seat(`${at}`, 60), w: 40 + (at % 7) * 18, h: 36 + (at % 5) * 8 }));
    const placed = arranged(boxes, ratio);
    const overlaps = placed.flatMap((one, at) => placed.slice(at + 1).filter((other) => Math.abs(one.x - other.x) < (one.w + other.w) / 2 && Math.abs(one.y - other.y) < (one.h + other.h) / 2));
    assert.equal(overlaps.length, 0, `${count} at ${ratio}`);
    const reach = (/** @type {'x' | 'y'} */ axis, /** @type {'w' | 'h'} */ size) => Math.max(...placed.map((one) => one[axis] + one[size] / 2)) - Math.min(...placed.map((one) => one[axis] - one[size] / 2));
    const shape = reach('x', 'w') / reach('y', 'h');
    assert.ok(shape > ratio / 1.6 && shape < ratio * 1.6, `${shape}`);
    assert.ok(placed.reduce((sum, one) => sum + one.w * one.h, 0) / (reach('x', 'w') * reach('y', 'h')) > 0.25);
  }
  assert.deepEqual(arranged([], 1), []);
});

test('what says nothing is left out of the picture at first, but where nothing else is said', () => {
  assert.deepEqual([...unspecific([tie('a', 'INTERACTS_WITH', 'b'), tie('a', 'FRIEND_OF', 'b')])], ['INTERACTS_WITH']);
  assert.deepEqual([...unspecific([tie('a', 'INTERACTS_WITH', 'b')])], []);
});

test('the picture as SVG: every name and line, nothing that is markup', () => {
  const dot = { x: 0, y: 0, size: 20, shape: 'ellipse', fill: 'red', label: '<b>&"', font: 13 };
  const made = svgOf([dot, { ...dot, x: 50, shape: 'hexagon', label: '刘备' }], [{ x1: 0, y1: 0, x2: 50, y2: 0, width: 2, stroke: 'blue', isDirected: true, end: 10 }], { paper: 'white', ink: 'black', font: 'serif' });
  assert.ok(made.startsWith('<svg xmlns=') && made.includes('>刘备</text>') && made.includes('&#60;b&#62;&#38;&#34;'));
  assert.deepEqual([made.match(/<line/g)?.length, made.match(/<path/g)?.length, made.match(/<circle/g)?.length, made.match(/<polygon/g)?.length], [1, 1, 1, 1]);
});
