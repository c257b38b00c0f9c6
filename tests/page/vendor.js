// Copies the libraries of the page out of node_modules: `make vendor`. Their versions are those of package-lock.json.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const VENDOR = join(here, '../../wenmai/web/page/vendor');

/** The module and the licence of each library. */
export const FILES = {
  'preact.js': ['preact', 'dist/preact.mjs'],
  'preact-hooks.js': ['preact', 'hooks/dist/hooks.mjs'],
  'htm.js': ['htm', 'dist/htm.mjs'],
  'marked.js': ['marked', 'lib/marked.esm.js'],
  'dompurify.js': ['dompurify', 'dist/purify.es.mjs'],
  'cytoscape.js': ['cytoscape', 'dist/cytoscape.esm.min.mjs'],
  'swagger-ui.js': ['swagger-ui-dist', 'swagger-ui-bundle.js'],
  'swagger-ui.css': ['swagger-ui-dist', 'swagger-ui.css'],
};

/** What belongs to a licence. @type {Record<string, string[]>} */
const NOTICES = { 'swagger-ui-dist': ['NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'] };

/** @param {string} library @param {string} path */
const read = (library, path) => readFileSync(join(here, 'node_modules', library, path), 'utf-8');

/** Bare imports become files beside, maps of sources are left out. @param {string} text */
export const rewritten = (text) =>
  text.replaceAll('from"preact"', 'from"./preact.js"').replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n');

/** @returns {Record<string, string>} every file of the folder but the list of hashes */
export function vendored() {
  const modules = Object.entries(FILES).map(([name, [library, path]]) => [name, rewritten(read(library, path))]);
  const libraries = [...new Set(Object.values(FILES).map(([library]) => library))];
  const licences = libraries.map((library) => [
    `LICENSE-${library}.txt`,
    ['LICENSE', ...(NOTICES[library] ?? [])].map((file) => read(library, file)).join('\n'),
  ]);
  const versions = libraries.map((one) => `${one} ${JSON.parse(read(one, 'package.json')).version}\n`).join('');
  return Object.fromEntries([...modules, ...licences, ['VERSIONS.txt', versions]]);
}

/** @param {Record<string, string>} files */
export const sums = (files) =>
  Object.keys(files)
    .sort()
    .map((name) => `${createHash('sha256').update(files[name]).digest('hex')}  ${name}\n`)
    .join('');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = vendored();
  for (const name of Object.keys(files)) rmSync(join(VENDOR, name), { force: true });
  mkdirSync(VENDOR, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(VENDOR, name), text);
  writeFileSync(join(VENDOR, 'SHA256SUMS'), sums(files));
}
