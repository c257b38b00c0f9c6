// @ts-check
import assert from 'node:assert/strict';
import test, { afterEach, mock } from 'node:test';

import { isLost, pause } from '../../../wenmai/web/page/api/connection.js';
import { parsed, stream } from '../../../wenmai/web/page/api/events.js';
import { address, every, guarded, json, path } from '../../../wenmai/web/page/api/http.js';
import { hasKey, setKey, signIn } from '../../../wenmai/web/page/api/session.js';
import { chapterText } from '../../../wenmai/web/page/api/stories.js';
import { isShown } from '../../../wenmai/web/page/api/tabs.js';
import { language } from '../../../wenmai/web/page/store.js';

/** @typedef {import('../../../wenmai/web/page/api/problems.js').ApiError} ApiError */

/** @param {...Response} responses */
function answering(...responses) {
  return mock.method(globalThis, 'fetch', async () => responses.shift());
}

/** @param {ReturnType<typeof answering>} fetched @param {number} call */
const asked = (fetched, call = 0) => /** @type {[string, any]} */ (/** @type {unknown} */ (fetched.mock.calls[call].arguments));

/** @param {number} status @param {unknown} body */
const answer = (status, body) => new Response(JSON.stringify(body), { status });

afterEach(() => {
  mock.restoreAll();
  setKey('');
});

test('a request that was sent before the key came is sent again, and nobody is asked for it', { timeout: 5_000 }, async () => {
  const replies = [answer(401, { detail: 'no' }), answer(200, {})];
  const fetched = mock.method(globalThis, 'fetch', async () => {
    setKey('k');
    return replies.shift();
  });
  await json('GET', 'me');
  assert.equal(signIn.value, null);
  assert.deepEqual([0, 1].map((call) => asked(fetched, call)[1].headers.authorization), [undefined, 'Bearer k']);
});

test('parts of a path and a query are encoded', () => {
  assert.equal(address(path`libraries/${'a/b'}/entities/${'宝 玉'}`, { q: '&', none: undefined, nil: null, n: 0 }),
    '/api/v1/libraries/a%2Fb/entities/%E5%AE%9D%20%E7%8E%89?q=%26&n=0');
  assert.deepEqual(guarded({ part: 2, chapter: 5 }), { as_of_chapter: 5, as_of_part: 2 });
  assert.deepEqual(guarded(null), {});
});

test('other tabs hear of books, jobs, networks and documents, not of questions and places', () => {
  const shown = [path`libraries/${'a b'}`, 'libraries', path`libraries/${'a'}/sources`, path`libraries/${'a'}/sources/${'s'}`, 'sample', path`jobs/${'1'}`, path`networks/${'n'}`, 'documents', 'documents/moves'];
  assert.deepEqual(shown.filter(isShown), shown);
  assert.deepEqual(['ask', 'threads/1/ask', 'libraries/a/place', 'previews', 'networks/n/preview', 'memories'].filter(isShown), []);
});

test('a read takes the guard along', async () => {
  const fetched = answering(answer(200, {}));
  await chapterText('a', { source: 's', part: 1, chapter: null, copy_number: 0 }, { guard: { part: 1, chapter: 3 } });
  assert.equal(asked(fetched)[0], '/api/v1/libraries/a/chapters/text?source=s&part=1&copy_number=0&as_of_chapter=3&as_of_part=1');
});

test('every page of a list is read', async () => {
  const fetched = answering(answer(200, { items: [1, 2], total: 3, next: 2 }), answer(200, { items: [3], total: 3, next: null }));
  assert.deepEqual(await every('threads', { query: { q: 'x' } }), [1, 2, 3]);
  assert.match(asked(fetched, 1)[0], /q=x&limit=500&offset=2$/);
});

test('problem details become an error', async () => {
  answering(answer(422, { detail: '缺少字段', errors: [{ field: 'title', message: '缺少字段' }] }));
  await assert.rejects(json('POST', 'libraries', { body: {} }), (/** @type {ApiError} */ error) =>
    error.status === 422 && error.detail === '缺少字段' && error.faults[0].field === 'title');
});

test('a refused request asks once for the key and is sent again with it', async () => {
  const refusals = [1, 2, 3].map(() => answer(401, { detail: '缺少' }));
  const fetched = answering(...refusals, answer(200, {}), answer(200, 1), answer(200, 2));
  const both = Promise.all([json('GET', 'jobs'), json('GET', 'threads')]);
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(signIn.value?.detail, '缺少');
  await signIn.value?.answer('mistyped');
  assert.equal(signIn.value?.isRefused, true);
  await signIn.value?.answer(' secret ');
  assert.deepEqual(await both, [1, 2]);
  assert.deepEqual([2, 3].map((call) => asked(fetched, call)[0]), ['/api/v1/me', '/api/v1/me']);
  assert.equal(asked(fetched, 5)[1].headers.authorization, 'Bearer secret');
  assert.equal(asked(fetched, 5)[1].headers['accept-language'], language.value);
  assert.equal(signIn.value, null);
});

test('a key is taken only where the server says so, and no more when the dialog was closed', async () => {
  const refused = answer(401, { detail: '缺少' });
  const fetched = answering(refused, answer(502, {}), answer(200, {}));
  const asking = assert.rejects(json('GET', 'me'), (/** @type {ApiError} */ error) => error.status === 401);
  await new Promise((resolve) => setTimeout(resolve));
  const request = signIn.value;
  await request?.answer('unchecked');
  assert.deepEqual([signIn.value?.isRefused, hasKey.value, isLost.value], [false, false, true]);
  await new Promise((resolve) => isLost.subscribe(resolve)); // it is asked whether it is back
  assert.equal(asked(fetched, 2)[0], '/health');
  fetched.mock.mockImplementation(async () => answer(200, {}));
  const answered = request?.answer('late');
  request?.answer(null);
  await answered;
  await asking;
  assert.deepEqual([signIn.value, hasKey.value], [null, false]);
});

test('who gives no key is told so', async () => {
  answering(answer(401, { detail: '缺少' }));
  const refused = assert.rejects(json('GET', 'me'), (/** @type {ApiError} */ error) => error.status === 401);
  await new Promise((resolve) => setTimeout(resolve));
  signIn.value?.answer(null);
  await refused;
});

/** @param {AsyncIterable<unknown>} events */
async function all(events) {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
}

/** @param {string[]} pieces */
async function* sent(pieces) {
  yield* pieces;
}

test('events are read from pieces that end anywhere', async () => {
  const text = 'event: thread\r\ndata: {"id": "t"}\r\n\r\n: ping\r\n\r\nevent: text\r\ndata: "甲"\r\n\r\n';
  const wanted = [{ name: 'thread', data: { id: 't' } }, { name: 'text', data: '甲' }];
  for (const pieces of [[text], [...text], [text.replaceAll('\r', '')], [text.slice(0, 14), text.slice(14)]]) {
    assert.deepEqual(await all(parsed(sent(pieces))), wanted);
  }
});

test('the event error ends a stream as an error', async () => {
  answering(new Response('event: error\ndata: {"status": 503, "detail": "坏了"}\n\n'));
  await assert.rejects(all(stream('GET', 'jobs/1/events')), (/** @type {ApiError} */ error) => error.detail === '坏了');
});

test('the pauses before the server is asked again grow to ten seconds', () => {
  assert.deepEqual([0, 1, 4, 5, 50].map(pause), [500, 1000, 8000, 10000, 10000]);
});
