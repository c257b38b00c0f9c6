// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { effective, fieldsOf, switched } from '../../../wenmai/web/page/views/desk/kits.js';
import { once } from '../../../wenmai/web/page/views/desk/process.js';

test('a switch adds a source or takes it away, and leaves the others as they are', () => {
  const book = { library: 'b', hasDocuments: false, networks: ['k'] };
  assert.deepEqual(effective(null, book), ['narrative']);
  assert.deepEqual(switched(null, 'knowledge', book), { kits: ['narrative', 'knowledge'], networks: [] });
  assert.deepEqual(switched({ kits: ['narrative', 'knowledge'], networks: [] }, 'knowledge', book), null);
  assert.deepEqual(switched(null, 'narrative', book), null); // the last one stays
  assert.deepEqual(switched(null, 'memory', { ...book, hasDocuments: true }), { kits: ['narrative', 'documents', 'memory'], networks: [] });
  assert.deepEqual(switched({ kits: ['narrative', 'knowledge'], networks: ['k'] }, 'narrative', book), { kits: ['knowledge'], networks: ['k'] });
});

test('of what has a switch the last one stays on, whatever was chosen and is not there any more', () => {
  const book = { library: 'b', hasDocuments: false, networks: [] };
  const gone = { kits: /** @type {('narrative' | 'documents' | 'knowledge')[]} */ (['narrative', 'documents', 'knowledge']), networks: [] };
  assert.deepEqual(switched(gone, 'narrative', book), gone);
  assert.deepEqual(effective({ kits: ['documents'], networks: [] }, book), ['narrative', 'documents']);
  assert.deepEqual(fieldsOf(gone, book), { toolkits: ['narrative'] });
  assert.deepEqual(fieldsOf({ kits: ['documents'], networks: [] }, book), {});
  assert.equal(switched({ kits: ['memory', 'knowledge'], networks: [] }, 'memory', { ...book, library: null }), null); // back to what is automatic
});

test('what several ask for is loaded once, and again after an error', async () => {
  let calls = 0;
  const load = once(async () => {
    calls += 1;
    if (calls === 1) throw new Error('away');
    return calls;
  });
  await assert.rejects(load);
  assert.deepEqual([await load(), await load()], [2, 2]);
});
