// @ts-check
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { sums, VENDOR, vendored } from '../vendor.js';

test('the libraries of the page are those of the locked packages', () => {
  const here = Object.fromEntries(
    readdirSync(VENDOR).filter((name) => !/\.d\.ts$|^SHA256SUMS$/.test(name)).map((name) => [name, readFileSync(join(VENDOR, name), 'utf-8')]),
  );
  assert.equal(sums(here), readFileSync(join(VENDOR, 'SHA256SUMS'), 'utf-8'));
  assert.equal(sums(here), sums(vendored()), 'make vendor');
});
