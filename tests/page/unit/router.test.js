// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { href, parse } from '../../../wenmai/web/page/router.js';

test('an address is read', () => {
  assert.deepEqual(parse(''), { library: null, view: 'shelf', rest: [], query: {} });
  assert.deepEqual(parse('#/settings'), { library: null, view: 'settings', rest: [], query: {} });
  assert.deepEqual(parse('#/library/sample'), { library: 'sample', view: 'desk', rest: [], query: {} });
  assert.deepEqual(parse('#/library/a/desk/T1?cite=3'), { library: 'a', view: 'desk', rest: ['T1'], query: { cite: '3' } });
});

test('an address that was made is read back', () => {
  for (const name of ['红楼梦', 'a/b', '100%', '?x', '#', ' ']) {
    const made = href('people', { library: name, rest: [name], query: { q: name, n: 2, none: undefined } });
    assert.deepEqual(parse(made), { library: name, view: 'people', rest: [name], query: { q: name, n: '2' } });
  }
});

test('an address that nobody made does no harm', () => {
  assert.deepEqual(parse('#/library/%E0%A4%A/desk').library, '%E0%A4%A');
});
