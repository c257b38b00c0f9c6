// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { prepare } from '../../../wenmai/web/page/i18n/index.js';
import { completed, moved } from '../../../wenmai/web/page/parts/keys.js';
import { compare, indexOf, isWithin, placeText, positions } from '../../../wenmai/web/page/parts/positions.js';
import { drawn } from '../../../wenmai/web/page/parts/virtual-list.js';
import { remembered, signal } from '../../../wenmai/web/page/signals.js';
import { guards, language, setGuard } from '../../../wenmai/web/page/store.js';

const CHAPTERS = [
  { part: 1, chapter: null, title: '序' },
  { part: 2, chapter: 1, title: '又一章' },
  { part: 1, chapter: 1, title: '一' },
  { part: 1, chapter: 2, title: '二' },
  { part: 1, chapter: 2, title: '二之二' },
];

test('the positions of a guard are the numbered chapters in order, each once', () => {
  assert.deepEqual(positions(CHAPTERS).map((one) => one.title), ['一', '二', '又一章']);
});

test('a guard has its place on the slider, also between chapters', () => {
  const all = positions(CHAPTERS);
  assert.deepEqual([null, { part: 1, chapter: 2 }, { part: 1, chapter: 9 }, { part: 2, chapter: 1 }].map((one) => indexOf(all, one)), [3, 1, 1, 2]);
});

test('a place is named with its part where there are several', async () => {
  await prepare(language.value = 'zh');
  assert.equal(placeText(positions(CHAPTERS), { part: 1, chapter: 2 }), '第 1 部 二');
  assert.equal(placeText(positions(CHAPTERS.slice(2)), { part: 1, chapter: 1 }), '一');
  assert.equal(placeText([], null), '全书');
});

test('arrows go around, other keys nowhere', () => {
  assert.deepEqual(['ArrowDown', 'ArrowUp', 'Home', 'End', 'ArrowLeft', 'x'].map((key) => moved(key, 2, 3, 'vertical')), [0, 1, 0, 2, null, null]);
  assert.equal(moved('Home', -1, 0, 'vertical'), null);
});

test('a shortcut of two keys needs both, the newest wins', () => {
  const [one, two, newer] = ['g s', '?', '?'].map((keys) => ({ keys, label: () => '', run: () => undefined }));
  assert.equal(completed([one, two, newer], 'g', 's'), one);
  assert.equal(completed([one, two], 'x', 's'), undefined);
  assert.equal(completed([one, two, newer], '', '?'), newer);
});

test('of a long list only the rows in view are drawn', () => {
  assert.deepEqual(drawn({ top: 4400, height: 440, rowHeight: 44, count: 5000 }), { first: 94, end: 116 });
  assert.deepEqual(drawn({ top: 0, height: 440, rowHeight: 44, count: 3 }), { first: 0, end: 3 });
});

test('a signal tells of changes alone', () => {
  const one = signal(1);
  /** @type {number[]} */
  const heard = [];
  const stop = one.subscribe((value) => heard.push(value));
  one.value = 1;
  one.value = 2;
  stop();
  one.value = 3;
  assert.deepEqual(heard, [2]);
});

test('what a browser kept is believed only where it is valid', () => {
  const kept = new Map([['wenmai.x', '"evil"'], ['wenmai.y', '{']]);
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    value: { getItem: (/** @type {string} */ name) => kept.get(name) ?? null, setItem: (/** @type {string} */ name, /** @type {string} */ value) => kept.set(name, value) },
  });
  const isNumber = (/** @type {unknown} */ value) => typeof value === 'number';
  assert.deepEqual(['x', 'y', 'z'].map((name) => remembered(name, 7, /** @type {any} */ (isNumber)).value), [7, 7, 7]);
  remembered('z', 7, /** @type {any} */ (isNumber)).value = 8;
  assert.equal(kept.get('wenmai.z'), '8');
});

test('what is shared follows the other tabs, the rest stays', () => {
  const kept = new Map();
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: { getItem: (/** @type {string} */ name) => kept.get(name) ?? null, setItem: (/** @type {string} */ name, /** @type {string} */ value) => kept.set(name, value) } });
  const tab = new EventTarget();
  Object.assign(globalThis, { addEventListener: tab.addEventListener.bind(tab) });
  const isNumber = /** @type {any} */ ((/** @type {unknown} */ value) => typeof value === 'number');
  const shared = remembered('shared', 1, isNumber, { isShared: true });
  const own = remembered('own', 1, isNumber);
  for (const name of ['shared', 'own']) {
    kept.set(`wenmai.${name}`, '2');
    tab.dispatchEvent(Object.assign(new Event('storage'), { key: `wenmai.${name}` }));
  }
  assert.deepEqual([shared.value, own.value], [2, 1]);
  kept.set('wenmai.shared', '3');
  tab.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
  assert.equal(shared.value, 2);
  tab.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  assert.equal(shared.value, 3);
  kept.clear();
  tab.dispatchEvent(Object.assign(new Event('storage'), { key: null }));
  assert.equal(shared.value, 1);
});

test('places follow each other by part, then by chapter', () => {
  const [first, later, part2] = [{ part: 1, chapter: 3 }, { part: 1, chapter: 12 }, { part: 2, chapter: 1 }];
  assert.deepEqual([part2, later, first].sort(compare), [first, later, part2]);
});

test('a guard is kept for each library', () => {
  setGuard('a', { part: 1, chapter: 3 });
  setGuard('b', { part: 2, chapter: 1 });
  setGuard('a', null);
  assert.deepEqual(guards.value, { b: { part: 2, chapter: 1 } });
});

test('what was read up to a guard is within a later one, and within the whole book', () => {
  const [first, later, part2] = [{ part: 1, chapter: 1 }, { part: 1, chapter: 2 }, { part: 2, chapter: 1 }];
  assert.deepEqual([isWithin(first, later), isWithin(later, part2), isWithin(null, null), isWithin(first, null)], [true, true, true, true]);
  assert.deepEqual([isWithin(later, first), isWithin(part2, later), isWithin(null, part2)], [false, false, false]);
});
