// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { bands, busiest, happenings, JOURNEY, placed, stepped } from '../../../wenmai/web/page/views/events/lanes.js';

/** @param {string} name @param {number | null} chapter @param {...string} people */
const event = (name, chapter, ...people) => /** @type {import('../../../wenmai/web/page/api/stories.js').StoryEvent} */ ({
  id: name, name, type: 'encounter', primary_character: people[0], participants: people.map((one) => ({ name: one, role: 'subject' })),
  summary: '', outcome: null, evidence: '', text_source: null, part: 1, chapter, start: 0 });
/** @param {string} source @param {string} type @param {number} chapter */
const relation = (source, type, chapter) => /** @type {import('../../../wenmai/web/page/api/stories.js').Relation} */ ({
  id: `${source}${chapter}`, source, type, target: '港', description: '', evidence: '到港', text_source: null, part: 1, chapter, start: 0 });

const PLACES = [{ part: 1, chapter: 1 }, { part: 1, chapter: 2 }, { part: 2, chapter: 1 }];
const EVENTS = [event('late', 2, 'a', 'b'), event('early', 1, 'a'), event('nowhere', null, 'a'), ...['x', 'y', 'z'].map((name) => event(name, 1, 'b'))];
const ALL = happenings(EVENTS, [relation('a', 'LOCATED_IN', 1), relation('a', 'FRIEND_OF', 1)]);

test('events and journeys are one list in story order, those without a place last', () => {
  assert.deepEqual(ALL.map((one) => one.name), ['early', 'x', 'y', 'z', 'a → 港', 'late', 'nowhere']);
  assert.equal(ALL[4].kind, JOURNEY);
});

test('lanes are for those with most events', () => {
  assert.deepEqual(busiest(ALL), ['b', 'a']);
});

test('each person of an event has a mark in the column of its chapter, and none covers another', () => {
  const { width, marks } = placed(ALL, ['b', 'a'], PLACES, 90);
  assert.equal(width, 30);
  assert.deepEqual(marks.filter((one) => one.name === 'late').map((one) => [one.lane, one.column]), [[0, 1], [1, 1]]);
  assert.equal(marks.some((one) => one.name === 'nowhere'), false);
  const seats = marks.map((one) => `${one.x} ${one.y}`);
  assert.equal(new Set(seats).size, seats.length);
});

test('columns widen where a chapter is full', () => {
  const full = happenings(Array.from({ length: 20 }, (_, at) => event(`${at}`, 1, 'a')), []);
  const { width, marks } = placed(full, ['a'], PLACES, 0);
  assert.ok(width >= 65, String(width));
  assert.ok(marks.every((one) => one.x > 0 && one.x < width));
});

test('arrows go along a lane and to the nearest of the next one', () => {
  const { marks } = placed(ALL, ['b', 'a'], PLACES, 90);
  const to = (/** @type {number} */ at, /** @type {string} */ key) => stepped(marks, at, key);
  const last = marks.findLastIndex((one) => one.lane === 0);
  assert.deepEqual([to(0, 'ArrowRight'), to(0, 'ArrowLeft'), to(last, 'ArrowRight'), to(1, 'End'), to(last, 'Home'), to(0, 'x')], [1, 0, last, last, 0, null]);
  assert.equal(marks[/** @type {number} */ (to(last, 'ArrowDown'))].name, 'late');
  assert.equal(to(0, 'ArrowUp'), 0);
  assert.equal(stepped([], 0, 'ArrowDown'), null);
});

test('parts are bands, a book of one part has none', () => {
  assert.deepEqual(bands(PLACES), [{ part: 1, from: 0, to: 1 }, { part: 2, from: 2, to: 2 }]);
  assert.deepEqual(bands(PLACES.slice(0, 2)), []);
});
