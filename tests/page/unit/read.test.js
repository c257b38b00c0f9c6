// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { parse } from '../../../wenmai/web/page/router.js';
import { beside, chapterHref, chapterOfAddress, indexOfChapter, isHidden, quoteHref } from '../../../wenmai/web/page/parts/addresses.js';
import { rowsOf } from '../../../wenmai/web/page/views/read/contents.js';
import { indexAt, linesOf, namesBy, paragraphsOf, piecesOf, quoted } from '../../../wenmai/web/page/views/read/paragraphs.js';

/** @param {number} part @param {number | null} chapter @param {string} [title] */
const place = (part, chapter, title = `${part}.${chapter}`) => ({ source: `s${part}`, part, chapter, copy_number: 0, title, characters: 9 });
const BOOK = [place(1, null, '楔子'), place(1, 1), place(1, 2), place(2, null, '幕间'), place(2, 1), place(2, 2)];

test('paragraphs are the lines that say something, at their code points', () => {
  const text = '　　甲😀乙\n\n  丙丁  \n戊';
  const found = paragraphsOf(text);
  assert.deepEqual(found.map((one) => one.text), ['甲😀乙', '丙丁', '戊']);
  for (const one of found) assert.equal([...text].slice(one.start, one.end).join(''), one.text);
});

test('a blank line counts where most paragraphs have none between them', () => {
  assert.deepEqual(paragraphsOf('一\n二\n三\n\n四').map((one) => one.isApart), [false, false, false, true]);
  assert.deepEqual(paragraphsOf('一\n\n二\n\n三').map((one) => one.isApart), [false, false, false]);
  assert.deepEqual(paragraphsOf(''), []);
});

test('the paragraph of a place', () => {
  const all = paragraphsOf('一二\n三四\n五');
  assert.deepEqual([0, 1, 2, 3, 6, 99].map((at) => indexAt(all, at)), [0, 0, 0, 1, 2, 2]);
});

test('a paragraph is cut at names and at the shown words, which may overlap', () => {
  const [one] = paragraphsOf('甲😀说乙来了');
  const names = [{ start: 0, end: 1, name: '甲' }, { start: 3, end: 4, name: '乙' }];
  const pieces = piecesOf(one, names, { start: 2, end: 5 });
  assert.deepEqual(pieces.map((piece) => [piece.text, piece.name, piece.isMarked]), [
    ['甲', '甲', false], ['😀', null, false], ['说', null, true], ['乙', '乙', true], ['来', null, true], ['了', null, false]]);
  assert.deepEqual(piecesOf(one, [], null), [{ text: '甲😀说乙来了', name: null, isMarked: false }]);
  assert.deepEqual(piecesOf(one, [], { start: 6, end: 9 }).length, 1);
});

test('names come to the paragraphs that they stand in', () => {
  const all = paragraphsOf('甲\n乙丙');
  const found = namesBy(all, [{ start: 0, end: 1, name: '甲' }, { start: 2, end: 3, name: '乙' }, { start: 3, end: 5, name: '丙' }]);
  assert.deepEqual(found.map((names) => names.map((one) => one.name)), [['甲'], ['乙']]);
});

test('of a name that a chapter has more than once the first place is known', () => {
  const names = [{ start: 0, end: 1, name: '甲' }, { start: 2, end: 3, name: '乙' }, { start: 3, end: 4, name: '甲' }];
  const lines = linesOf(paragraphsOf('甲\n乙甲'), names, { start: 3, end: 4 });
  assert.deepEqual(lines.map((pieces) => pieces.map((one) => [one.text, one.isFirst, one.isMarked])), [[['甲', true, false]], [['乙', true, false], ['甲', false, true]]]);
});

test('a quotation ends with a sentence', () => {
  assert.equal(quoted('他来了。\n她走了。', 20), '他来了。 她走了。');
  assert.equal(quoted('他来了。她走了很远很远的路。', 9), '他来了。');
  assert.equal(quoted('一二三四五六七八九', 4), '一二三四…');
});

test('a chapter has an address of its own, also one without a number or with a number twice', () => {
  for (const one of [...BOOK, { ...place(1, 2), copy_number: 1, source: 'a/b c?' }]) {
    const { view, library, rest, query } = parse(chapterHref('书', one, { at: 5 }));
    const { source, part, chapter, copy_number } = one;
    assert.deepEqual([view, library, chapterOfAddress(rest), query], ['read', '书', { source, part, chapter, copy_number }, { at: '5' }]);
  }
  assert.equal(chapterOfAddress([]), null);
  assert.equal(quoteHref('书', { source: 'x', part: 1, chapter: null }), null);
  assert.equal(quoteHref('书', { part: 1, chapter: 1 }), null);
  assert.equal(quoteHref(null, { source: 'x', part: 1, chapter: 1 }), null);
});

test('a chapter of a text that was replaced is found by its number', () => {
  const at = (/** @type {string} */ source, /** @type {number} */ part, /** @type {number} */ chapter) => indexOfChapter(BOOK, { source, part, chapter, copy_number: 0 });
  assert.deepEqual([at('s1', 1, 2), at('older', 2, 1), at('s1', 1, 9)], [2, 4, -1]);
});

test('of two chapters with one number the title tells which is meant', () => {
  const book = [...BOOK, { ...place(1, 2, '又一'), copy_number: 1 }];
  const { rest, query } = parse(String(quoteHref('书', { source: 's1', part: 1, chapter: 2, title: '又一', start: 3 })));
  const wanted = /** @type {NonNullable<ReturnType<typeof chapterOfAddress>>} */ (chapterOfAddress(rest));
  assert.equal(indexOfChapter(book, wanted, query.title), 6);
  assert.equal(indexOfChapter(book, wanted, '没有'), 2);
});

test('what follows is hidden behind the guard, and chapters without a number are passed over', () => {
  const guard = { part: 1, chapter: 2 };
  assert.deepEqual(BOOK.map((one) => isHidden(one, guard)), [true, false, false, true, true, true]);
  assert.deepEqual([beside(BOOK, 2, guard, 1), beside(BOOK, 2, null, 1), beside(BOOK, 1, guard, -1), beside(BOOK, 5, null, 1)], [4, 3, -1, -1]);
});

test('the contents show parts, obey the guard, and are sought', () => {
  const shown = (/** @type {ReturnType<typeof rowsOf>} */ rows) => rows.map((one) => ('part' in one ? `#${one.part}` : one.place.title));
  assert.deepEqual(shown(rowsOf(BOOK, null)), ['#1', '楔子', '1.1', '1.2', '#2', '幕间', '2.1', '2.2']);
  assert.deepEqual(shown(rowsOf(BOOK, { part: 2, chapter: 1 })), ['#1', '1.1', '1.2', '#2', '2.1']);
  assert.deepEqual(shown(rowsOf(BOOK, null, '2')), ['#1', '1.2', '#2', '2.1', '2.2']);
  assert.deepEqual(shown(rowsOf(BOOK.slice(0, 3), null)), ['楔子', '1.1', '1.2']);
});
