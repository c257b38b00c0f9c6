// @ts-check
/** The views, each loaded when it is first shown. A view is a component `({ route }) => …`, its module's default. */

/** @typedef {import('./router.js').Route} Route */
/** @typedef {(props: { route: Route }) => unknown} View */
/**
 * @typedef {object} Entry
 * @property {() => Promise<{ default: View }>} load
 * @property {boolean} isOfLibrary  its address names a library
 * @property {boolean} [isAlone]  it works without a library too
 * @property {string} key  `g` and this key open it
 * @property {boolean} [isApart]  the shelf and the desk lead there, not the navigation
 */

/** @type {Record<'shelf' | 'read' | 'desk' | 'people' | 'events' | 'documents' | 'memories' | 'settings', Entry>} */
export const VIEWS = {
  shelf: { load: () => import('./views/shelf.js'), isOfLibrary: false, key: 's' },
  read: { load: () => import('./views/read.js'), isOfLibrary: true, key: 'r' },
  desk: { load: () => import('./views/desk.js'), isOfLibrary: true, isAlone: true, key: 'd' },
  people: { load: () => import('./views/people.js'), isOfLibrary: true, key: 'p' },
  events: { load: () => import('./views/events.js'), isOfLibrary: true, key: 'e' },
  documents: { load: () => import('./views/documents.js'), isOfLibrary: false, isApart: true, key: 'f' },
  memories: { load: () => import('./views/memories.js'), isOfLibrary: false, key: 'm' },
  settings: { load: () => import('./views/settings.js'), isOfLibrary: false, key: 'c' },
};

/** @typedef {keyof typeof VIEWS} ViewName */
export const NAMES = /** @type {ViewName[]} */ (Object.keys(VIEWS));

/** @param {string} name @returns {name is ViewName} */
export const isView = (name) => Object.hasOwn(VIEWS, name);
