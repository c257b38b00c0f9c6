// @ts-check
/** Files that come from outside: which can be books, and what is wrong with the others. */
import { language } from '../../store.js';

/** @typedef {import('../../i18n/index.js').Key} Key */

export const BOOK_TYPES = ['.txt', '.md', '.epub', '.docx', '.pdf', '.html', '.htm', '.json', '.xml', '.srt', '.vtt', '.ass', '.fountain'];
export const NETWORK_TYPES = ['.csv', '.json', '.jsonl', '.yaml', '.yml', '.zip'];
const SHEET_TYPES = ['.csv', '.tsv', '.xls', '.xlsx', '.jsonl', '.zip'];
export const TABLE_TYPES = ['.csv', '.json', '.jsonl'];
const MEGABYTE = 2 ** 20;
const LONGEST_NAME = 56; // of a library, with room for a number behind it

/** @param {string} name */
export const extensionOf = (name) => (/\.[^./\\]+$/.exec(name)?.[0] ?? '').toLowerCase();

/** @param {string} name */
export const stemOf = (name) => name.slice(0, name.length - extensionOf(name).length);

/**
 * Return what is wrong with a file that needs no reading, null if nothing is.
 * @param {{ name: string, size: number }} file
 * @param {number} mostMb
 * @param {readonly string[]} [types]
 * @returns {Key | null}
 */
export function faultOf(file, mostMb, types = BOOK_TYPES) {
  const type = extensionOf(file.name);
  if (!types.includes(type)) return types === BOOK_TYPES && SHEET_TYPES.includes(type) ? 'shelf.badTable' : 'shelf.badType';
  if (file.size === 0) return 'shelf.badEmpty';
  return file.size > mostMb * MEGABYTE ? 'shelf.badLarge' : null;
}

/**
 * Return the name of a new library: its title with what a name may hold, and a number where it is taken.
 * @param {string} title
 * @param {readonly string[]} taken
 */
export function nameFor(title, taken) {
  const plain = title.normalize('NFKC').replace(/[^0-9A-Za-z_\u3400-\u9fff]+/g, '-').replace(/^-+|-+$/g, '').slice(0, LONGEST_NAME);
  const name = plain || 'book';
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name}-${number}`;
    if (!taken.includes(tried)) return tried;
  }
}

/**
 * Return an id for a network, which may hold less than the name of a library.
 * @param {string} name
 * @param {readonly string[]} taken
 */
export function networkIdFor(name, taken) {
  const plain = name.toLowerCase().replace(/[^0-9a-z_-]+/g, '-').replace(/^[-_]+|-+$/g, '').slice(0, 36);
  return nameFor(plain || 'network', taken);
}

/** @param {number} bytes */
export function sizeText(bytes) {
  const [value, unit] = bytes >= MEGABYTE ? [bytes / MEGABYTE, 'MB'] : [bytes / 1024, 'kB'];
  return `${new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 }).format(value)} ${unit}`;
}

/**
 * Return the files of a drop, those of folders too.
 * @param {DataTransfer} transfer
 * @returns {Promise<File[]>}
 */
export async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null && entry !== undefined);
  return entries.length ? (await Promise.all(entries.map(filesIn))).flat() : [...transfer.files];
}

/** @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function filesIn(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject))];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const found = [];
  for (;;) { // a folder is told in pieces
    const piece = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) break;
    found.push(...piece);
  }
  return (await Promise.all(found.filter((one) => !one.name.startsWith('.')).map(filesIn))).flat();
}
