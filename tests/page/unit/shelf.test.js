// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { speak } from '../../../wenmai/web/page/i18n/index.js';
import { unguarded } from '../../../wenmai/web/page/views/find/groups.js';
import { columnsOf } from '../../../wenmai/web/page/views/shelf/network.js';
import { castOf as drawnOf, tiesOf, valueText } from '../../../wenmai/web/page/views/shelf/network-row.js';
import { keyOf, oldsOf } from '../../../wenmai/web/page/views/shelf/review-more.js';
import { copyOf, holding, isWithheld } from '../../../wenmai/web/page/views/memories/texts.js';
import { faultOf, nameFor, NETWORK_TYPES, networkIdFor, stemOf } from '../../../wenmai/web/page/views/shelf/files.js';
import { asVolume, isCounted, listOf, losesChapters, renamed, rowAt, rowsOf, withChapter, without, withVolume } from '../../../wenmai/web/page/views/shelf/headings.js';
import { adopt, current, dismiss, imports, shownJobs } from '../../../wenmai/web/page/views/shelf/imports.js';
import { turned } from '../../../wenmai/web/page/views/shelf/network-mending.js';
import { wayOf } from '../../../wenmai/web/page/views/shelf/review.js';
import { textsOf } from '../../../wenmai/web/page/views/shelf/sources.js';

/** @param {number} number @param {string} heading @param {string} volume @param {number} line */
const chapter = (number, heading, volume, line) => ({ part: 1, number, title: heading, volume, heading, line, characters: 9, beginning: '' });
/** @param {ReturnType<typeof chapter>[]} chapters */
const preview = (chapters) => /** @type {any} */ ({ chapters });
const BOOK = preview([chapter(0, '', '', 1), chapter(1, '第一章 甲', '卷一', 4), chapter(2, '第二章 乙', '卷一', 9), chapter(1, '卷二 第一章', '卷二', 15)]);

test('how chapters are found follows from what was chosen', () => {
  assert.deepEqual([{}, { chapters: 'toc' }, { chapters: 'none' }, { chapters: '^Day' }, { headings: '1', chapters: 'toc' }].map(wayOf), ['auto', 'toc', 'none', 'pattern', 'list']);
});

test('a preview becomes rows, and rows the list that divides the same way', () => {
  const rows = rowsOf(BOOK);
  assert.deepEqual(rows.map((row) => `${row.kind} ${row.title}`), ['chapter ', 'volume 卷一', 'chapter 第一章 甲', 'chapter 第二章 乙', 'volume 卷二', 'chapter 卷二 第一章']);
  assert.equal(listOf(rows), '== 卷一\n第一章 甲\t第一章 甲\n第二章 乙\t第二章 乙\n卷二 第一章\t卷二 第一章');
});

test('headings are taken away, renamed, made parts, and put in', () => {
  const rows = rowsOf(BOOK);
  assert.equal(listOf(without(rows, 3)).includes('第二章'), false);
  assert.equal(listOf(renamed(rows, 2, '开头')).split('\n')[1], '第一章 甲\t开头');
  assert.equal(listOf(asVolume(rows, 2)).split('\n')[1], '== 第一章 甲');
  assert.equal(listOf(withVolume(rows, 3, '下篇')).split('\n')[2], '== 下篇');
  assert.equal(listOf(withChapter(rows, rowAt(rows, 12), '雨夜')).split('\n')[3], '雨夜\t雨夜');
  assert.equal(listOf(rowsOf(preview([chapter(1, '', '', 0)]))), '');
});

test('a part without a title is told apart, and an epilogue in one is not counted', () => {
  const end = { ...chapter(1, '尾声', '', 30), part: 2 };
  const book = { ...preview([chapter(0, '楔子', '', 1), chapter(1, '第一章', '', 4), chapter(2, '第二章', '', 9), end]), parts: [{ part: 1, chapters: 3 }, { part: 2, chapters: 1 }] };
  const rows = rowsOf(book);
  assert.deepEqual(rows.map((row) => row.kind), ['chapter', 'chapter', 'chapter', 'part', 'chapter']);
  assert.deepEqual(rows.flatMap((row) => (row.kind === 'chapter' ? [isCounted(row, book)] : [])), [false, true, true, false]);
  assert.equal(listOf(rows).split('\n').length, 4);
});

test('a relation of a network goes elsewhere or away, an added one too', () => {
  const relation = /** @type {any} */ ({ id: 'ship_port', source: 'ship', column: 'port', target: 'port' });
  const nothing = { keys: {}, relations: {}, added: [], types: {}, labels: {}, names: {} };
  assert.deepEqual(turned(nothing, relation, 'town').relations, { ship_port: 'town' });
  assert.deepEqual(turned(nothing, relation, null).relations, { ship_port: null });
  const added = { ...nothing, added: [{ source: 'ship', column: 'port', target: 'port' }] };
  assert.deepEqual(turned(added, relation, 'town'), { ...nothing, added: [{ source: 'ship', column: 'port', target: 'town' }] });
  assert.deepEqual(turned(added, relation, null), nothing);
  assert.deepEqual(turned({ ...added, names: { [relation.id]: '停靠', other: '别的' } }, relation, null).names, { other: '别的' });
});

test('chapters that the contents alone name would be lost, a preface is not', () => {
  assert.equal(losesChapters(BOOK), false);
  assert.equal(losesChapters(preview([chapter(1, 'a', '', 0), chapter(2, '', '', 0)])), true);
});

test('a file is refused before it is sent where its name or size says enough', () => {
  /** @param {string} name @param {number} size */
  const fault = (name, size) => faultOf({ name, size }, 1);
  assert.deepEqual([fault('a.EPUB', 5), fault('a.exe', 5), fault('a', 5), fault('a.txt', 0), fault('a.txt', 2 ** 20 + 1)], [null, 'shelf.badType', 'shelf.badType', 'shelf.badEmpty', 'shelf.badLarge']);
  assert.deepEqual([fault('a.csv', 5), faultOf({ name: 'a.csv', size: 5 }, 1, NETWORK_TYPES)], ['shelf.badTable', null]);
  assert.equal(stemOf('红楼梦.上.txt'), '红楼梦.上');
});

test('a library gets a name that may be a folder and is free', () => {
  assert.equal(nameFor('<img src=x onerror=alert(1)>', []), 'img-src-x-onerror-alert-1');
  assert.equal(nameFor('雾港 纪事', ['雾港-纪事', '雾港-纪事-2']), '雾港-纪事-3');
  assert.equal(nameFor('！？', []), 'book');
  assert.equal(nameFor('长'.repeat(99), []).length, 56);
  assert.equal(networkIdFor('_My 船队', []), 'my');
});

test('of the jobs those that run are shown, and those that broke off last', () => {
  /** @param {string} id @param {string} subject @param {string} state */
  const job = (id, subject, state) => /** @type {any} */ ({ id, subject, state, kind: 'ingest' });
  const jobs = [job('1', 'a', 'running'), job('2', 'b', 'done'), job('3', 'b', 'cancelled'), job('4', 'c', 'cancelled'), job('5', 'd', 'cancelled')];
  assert.deepEqual(shownJobs(jobs, ['a', 'b', 'c']).map((one) => one.id), ['1', '4']);
});

test('the parts of a text are one text', () => {
  assert.deepEqual(textsOf(['书', '书#2', '另一本', 'C#']), ['书', '另一本', 'C#']);
});

test('a sensitive memory is found by no word of it, and can be remembered again', () => {
  /** @param {string} content @param {boolean} is_sensitive */
  const memory = (content, is_sensitive) => /** @type {any} */ ({ key: content, content, is_sensitive, type: 'general', summary: null, keywords: ['Port'] });
  const all = [memory('端口 5433', false), memory('端口的口令', true)];
  assert.deepEqual([holding(all, '端口'), holding(all, 'port')].map((found) => found.length), [1, 1]);
  assert.deepEqual([isWithheld(memory('[敏感记忆]', true)), isWithheld(all[1])], [true, false]);
  assert.deepEqual(copyOf(all[1]), { content: '端口的口令', type: 'general', summary: null, keywords: ['Port'], is_sensitive: true });
});

test('a file is seen as a newer version by its name, or by the title of a book', () => {
  const books = /** @type {any[]} */ ([{ name: 'a', title: '渡口', sources: ['ferry'] }, { name: 'b', title: 'Other', sources: ['渡口 第一稿', 'x#2'] }]);
  assert.deepEqual(oldsOf(books, '《渡口》', 'new').map(keyOf), ['a ferry']);
  assert.deepEqual(oldsOf(books, 'Nothing', 'x').map(keyOf), ['b x']);
  assert.deepEqual(oldsOf(books, '渡口', 'X').map(keyOf), ['b x', 'a ferry']); // that of the same file first
  assert.deepEqual(oldsOf(books, 'Nothing', 'new'), []);
});

test('what a row is tied to stands by relation and direction, and is drawn once', () => {
  const row = (/** @type {string} */ type, /** @type {string} */ id) => ({ type, id, name: `name ${id}`, display: '', properties: {}, ends: {} });
  const beside = /** @type {any[]} */ ([
    { relation: 'owned by', direction: 'outgoing', instance: row('house', '1') }, { relation: 'owned by', direction: 'outgoing', instance: row('house', '2') },
    { relation: 'carries', direction: 'incoming', instance: row('cargo', '1') }, { relation: 'sold by', direction: 'outgoing', instance: row('house', '1') },
  ]);
  assert.deepEqual(tiesOf(beside).map((one) => [one.name, one.direction, one.rows.length]), [['owned by', 'outgoing', 2], ['carries', 'incoming', 1], ['sold by', 'outgoing', 1]]);
  const { nodes, pairs } = drawnOf(row('ship', '1'), beside, ['ship', 'house', 'cargo']);
  assert.deepEqual(nodes.map((one) => [one.label, one.degree]), [['name 1', 3], ['name 1', 1], ['name 2', 1], ['name 1', 1]]);
  assert.deepEqual(pairs.map((one) => one.types), [['owned by', 'sold by'], ['owned by'], ['carries']]);
  assert.equal(new Set(nodes.map((one) => one.kind)).size, 3);
});

test('a value of a row is text', async () => {
  await speak('en');
  assert.deepEqual([valueText(['a', 2]), valueText(true), valueText(null), valueText(0)], ['a, 2', 'yes', '', '0']);
});

test('a talk about a book that is read to a place is left out where no book is open', () => {
  const found = [{ library: 'b' }, { library: 'c' }, { library: null }];
  assert.deepEqual(unguarded(found, { b: { part: 1, chapter: 1 } }), [{ library: 'c' }, { library: null }]);
});

test('of the imports of a book that have ended the newest is shown, and a text that failed until it is sent again', () => {
  /** @param {string} library @param {import('../../../wenmai/web/page/views/shelf/imports.js').Phase} phase @param {string} name */
  const one = (library, phase, name) => ({ library, phase, file: name ? { name } : null });
  /** @param {ReturnType<typeof one>[]} all */
  const shown = (...all) => current(all).map(({ library, phase, file }) => `${library} ${phase} ${file?.name ?? ''}`);
  assert.deepEqual(shown(one('a', 'done', 'a'), one('b', 'done', 'b'), one('a', 'waiting', 'a')), ['b done b', 'a waiting a']);
  assert.deepEqual(shown(one('a', 'cancelled', ''), one('a', 'done', '')), ['a done ']);
  assert.deepEqual(shown(one('a', 'running', 'i'), one('a', 'waiting', 'ii')), ['a running i', 'a waiting ii']);
  assert.deepEqual(shown(one('a', 'failed', 'i'), one('a', 'done', 'ii')), ['a failed i', 'a done ii']);
  assert.deepEqual(shown(one('a', 'failed', 'i'), one('a', 'done', 'i')), ['a done i']);
});

test('with the newest import of a book go the older ones that it hides', () => {
  const job = (/** @type {string} */ id, /** @type {string} */ subject) => /** @type {import('../../../wenmai/web/page/views/shelf/imports.js').Job} */ ({ id, subject, state: 'cancelled' });
  for (const one of [job('1', 'a'), job('2', 'b'), job('3', 'a')]) adopt(one, one.subject);
  dismiss(imports.value[2].id);
  assert.deepEqual(imports.value.map((one) => one.library), ['b']);
  adopt(job('1', 'a'), 'a');
  assert.deepEqual(imports.value.map((one) => one.library), ['b']);
});

test('beside names a table of a network has no ids', () => {
  const property = (/** @type {string} */ name) => ({ name, display_name: '', type: 'string', is_key: name === 'code', conditions: [] });
  const type = { id: 'ship', name: 'Ship', comment: '', properties: ['code', 'title', 'tons'].map(property) };
  /** @param {string} code @param {string} [title] */
  const row = (code, title) => ({ id: code, name: title ?? code, properties: { code, ...(title && { title }), tons: 5 } });
  /** @param {ReturnType<typeof row>[]} rows */
  const columns = (...rows) => columnsOf(type, rows).map(({ name }) => name);
  assert.deepEqual(columns(row('s1', 'Lark'), row('s2', 'Tern')), ['tons']);
  assert.deepEqual(columns(row('s1', 'Lark'), row('s2')), ['tons']);
  assert.deepEqual(columns(row('s1'), row('s2')), ['tons']);
});
