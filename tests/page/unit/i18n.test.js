// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { errorText, ApiError } from '../../../wenmai/web/page/api/problems.js';
import { duration, speak, t } from '../../../wenmai/web/page/i18n/index.js';
import en from '../../../wenmai/web/page/i18n/en/index.js';
import zh from '../../../wenmai/web/page/i18n/zh/index.js';

/** @typedef {Record<string, Record<string, import('../../../wenmai/web/page/i18n/index.js').Message>>} Words */
const [chinese, english] = /** @type {[Words, Words]} */ ([zh, en]);

/** @param {import('../../../wenmai/web/page/i18n/index.js').Message} message */
const texts = (message) => (typeof message === 'string' ? [message] : Object.values(message));
/** @param {string} text */
const values = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

test('both languages have the same keys', () => {
  assert.deepEqual(Object.keys(english).sort(), Object.keys(chinese).sort());
  for (const group of Object.keys(chinese)) {
    assert.deepEqual(Object.keys(english[group]).sort(), Object.keys(chinese[group]).sort(), group);
  }
});

test('both languages put the same values into a message', () => {
  for (const [group, messages] of Object.entries(chinese)) {
    for (const [name, message] of Object.entries(messages)) {
      const wanted = values(texts(message)[0]);
      for (const text of texts(english[group][name])) assert.deepEqual(values(text), wanted, `${group}.${name}`);
    }
  }
});

test('English is English and Chinese is Chinese', () => {
  for (const [group, messages] of Object.entries(english)) {
    for (const [name, message] of Object.entries(messages)) {
      const isSwitch = group === 'shell' && name.startsWith('language');
      assert.equal(texts(message).some((text) => /\p{Script=Han}/u.test(text)), isSwitch, `${group}.${name}`);
    }
  }
});

test('a message counts and takes its values', async () => {
  await speak('en');
  assert.equal(t('shelf.chapters', { n: 1 }), '1 chapter');
  assert.equal(t('shelf.chapters', { n: 1200 }), '1,200 chapters');
  assert.equal(t('parts.guard', { place: '{n}' }), 'Read up to: {n}');
  assert.deepEqual([5.4, 61, 7200].map(duration), ['5 seconds', '1 minute', '2 hours']);
  await speak('zh');
  assert.equal(t('shelf.chapters', { n: 1 }), '1 章');
});

test('an error is one line in the language of the page', async () => {
  await speak('zh');
  assert.equal(errorText(new ApiError(409, '资料库正在导入')), '资料库正在导入');
  assert.match(errorText(new ApiError(0, '')), /wenmai serve/);
  await speak('en');
  assert.equal(errorText(new ApiError(409, 'library one is being changed')), 'library one is being changed');
  assert.match(errorText(new ApiError(409, '')), /^In use at the moment/);
  assert.match(errorText(new TypeError('x is not a function')), /x is not a function/);
});
