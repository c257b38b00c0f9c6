// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { cutAtQuote } from '../../../wenmai/web/page/views/desk/document-place.js';
import { effective, fieldsOf, foldersOf, switched, withFolder } from '../../../wenmai/web/page/views/desk/kits.js';
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

test('a collection is asked by itself without a book, beside one where it is switched on, and by folders', () => {
  const book = { library: 'b', hasDocuments: true, isOwn: false, networks: [] };
  assert.deepEqual(effective(null, book), ['narrative']);
  assert.deepEqual(effective(null, { ...book, isOwn: true }), ['narrative', 'documents']);
  assert.deepEqual(fieldsOf(null, { ...book, library: null }), { toolkits: ['documents'] });
  const choice = withFolder({ kits: ['documents'], networks: [] }, 'b', ['', 'a', 'b']);
  assert.deepEqual(foldersOf(choice, ['', 'a', 'b']), ['', 'a']);
  assert.deepEqual(fieldsOf(choice, book), { toolkits: ['documents'], folders: ['', 'a'] });
  assert.deepEqual(fieldsOf(choice, { ...book, folders: ['a', 'b'] }), { toolkits: ['documents'], folders: ['a'] });
  assert.deepEqual(fieldsOf(choice, { ...book, folders: ['b'] }), { toolkits: ['documents'] });
  assert.deepEqual(withFolder(choice, 'b', ['', 'a', 'b']).folders, []); // all of them again
  assert.deepEqual(switched(choice, 'narrative', book)?.folders, ['', 'a']);
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

test('quoted words of a document are found from their piece on, else anywhere, and stand alone where they are not there', () => {
  const text = '😀 lamp. The lamp is red.';
  assert.deepEqual(cutAtQuote({ text, start: 8 }, 'lamp'), ['😀 lamp. The ', 'lamp', ' is red.']);
  assert.deepEqual(cutAtQuote({ text, start: 20 }, 'lamp'), ['😀 ', 'lamp', '. The lamp is red.']);
  assert.deepEqual(cutAtQuote({ text, start: 0 }, 'blue'), ['', 'blue', '']);
});
