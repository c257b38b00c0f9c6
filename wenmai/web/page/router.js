// @ts-check
/** The place in the page, kept in the hash: `#/library/ID/desk/THREAD?cite=3`. */
import { signal } from './signals.js';

/**
 * @typedef {object} Route
 * @property {string} view
 * @property {string | null} library
 * @property {string[]} rest  what follows the view in the path
 * @property {Record<string, string>} query
 */

const HOME = 'shelf';
const IN_LIBRARY = 'desk';

/**
 * Read a hash.
 * @param {string} hash
 * @returns {Route}
 */
export function parse(hash) {
  const [path, search = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const parts = path.split('/').filter(Boolean).map(decoded);
  const query = Object.fromEntries(new URLSearchParams(search));
  if (parts[0] === 'library' && parts[1]) {
    return { library: parts[1], view: parts[2] ?? IN_LIBRARY, rest: parts.slice(3), query };
  }
  return { library: null, view: parts[0] ?? HOME, rest: parts.slice(1), query };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Return the hash of a place, for links.
 * @param {string} view
 * @param {{ library?: string | null, rest?: string[], query?: Record<string, string | number | undefined> }} [place]
 */
export function href(view, { library = null, rest = [], query = {} } = {}) {
  const parts = [...(library === null ? [] : ['library', library]), view, ...rest].map(encodeURIComponent);
  const known = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = new URLSearchParams(known).toString();
  return `#/${parts.join('/')}${search && `?${search}`}`;
}

export const route = signal(parse(globalThis.location?.hash ?? ''));

/**
 * Go to a place; `replace` leaves no step back.
 * @param {string} hash as `href` makes it
 * @param {{ replace?: boolean }} [how]
 */
export function go(hash, { replace = false } = {}) {
  if (replace) {
    history.replaceState(null, '', hash);
    route.value = parse(hash);
  } else {
    location.hash = hash;
  }
}

/** Go on from a place, unless its reader has left it meanwhile. @param {Route} from @param {string} hash */
export function goOn(from, hash) {
  const { view, library, rest } = route.value;
  if (view === from.view && library === from.library && rest[0] === from.rest[0]) go(hash, { replace: true });
}

/** Follow the address from now on. */
export function follow() {
  addEventListener('hashchange', () => {
    route.value = parse(location.hash);
  });
}
