// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';

import { html } from '../../../wenmai/web/page/lib.js';
import { visible } from '../../../wenmai/web/page/visible.js';

const TURNED = 'a\u202Ecba\u202C\u2066x\u2069\u0007\u001B\u007F';

test('what works unseen becomes a sign, and the text stays as long', () => {
  assert.equal(visible(TURNED), 'a\uFFFDcba\uFFFD\uFFFDx\uFFFD␇␛␡');
  assert.equal(visible(TURNED).length, TURNED.length);
});

test('lines, tabs and the signs of any script stay', () => {
  const text = '第一章\t起\r\n\u200Fעברית 👩‍🚀 “q”';
  assert.equal(visible(text), text);
});

test('no element shows a text that turns others round, nor says it', () => {
  const made = /** @type {any} */ (html`<p title=${TURNED} data-x=${TURNED}>${TURNED}<b>x</b>${['\u202Ey']}</p>`);
  assert.deepEqual([made.props.children[0], made.props.children[2], made.props.title], [visible(TURNED), ['\uFFFDy'], visible(TURNED)]);
  assert.equal(made.props['data-x'], TURNED);
});

test('a field keeps what is typed, a component what it is given', () => {
  const Part = (/** @type {{ title: string }} */ { title }) => title;
  const [field, part] = [html`<input value=${TURNED} />`, html`<${Part} title=${TURNED} />`].map((one) => /** @type {any} */ (one).props);
  assert.deepEqual([field.value, part.title], [TURNED, TURNED]);
});
