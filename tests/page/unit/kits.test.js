// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { effective, switched } from '../../../wenmai/web/page/views/desk/kits.js';

test('a switch adds a source or takes it away, and leaves the others as they are', () => {
  const book = { library: 'b', hasDocuments: false };
  assert.deepEqual(effective(null, book), ['narrative']);
  assert.deepEqual(switched(null, 'knowledge', book), { kits: ['narrative', 'knowledge'], networks: [] });
  assert.deepEqual(switched({ kits: ['narrative', 'knowledge'], networks: [] }, 'knowledge', book), null);
  assert.deepEqual(switched(null, 'narrative', book), null); // the last one stays
  assert.deepEqual(switched(null, 'memory', { ...book, hasDocuments: true }), { kits: ['narrative', 'documents', 'memory'], networks: [] });
  assert.deepEqual(switched({ kits: ['narrative', 'knowledge'], networks: ['k'] }, 'narrative', book), { kits: ['knowledge'], networks: ['k'] });
});
