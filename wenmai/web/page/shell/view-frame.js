// @ts-check
/** The view of the address: loaded, shown, and replaced by one line where it fails. */
import { isThere, returns } from '../api/connection.js';
import { t } from '../i18n/index.js';
import { Component, html, useEffect, useLayoutEffect, useRef, useState } from '../lib.js';
import { ErrorLine } from '../parts/error-line.js';
import { Empty } from '../parts/empty.js';
import { isFocusFree } from '../parts/leaving.js';
import { Loading } from '../parts/progress.js';
import { href } from '../router.js';
import { useSignal } from '../signals.js';
import { library } from '../store.js';
import { isView, VIEWS } from '../views.js';

/** @typedef {import('../router.js').Route} Route */
/** @typedef {{ view: string, component: import('../views.js').View | null }} Loaded  null: the server has it no more */

/** @param {{ route: Route }} props */
export function ViewFrame({ route }) {
  const loaded = useView(route.view);
  const { view } = route;
  if (!isView(view)) return html`<${Place} title=${t('shell.noView')} />`;
  if (VIEWS[view].isOfLibrary && !VIEWS[view].isAlone && route.library === null) return html`<${Place} title=${t('shell.chooseBook')} />`;
  if (loaded?.view !== view) return html`<${Loading} />`;
  if (loaded.component === null) return html`<${Stale} />`;
  return html`<${Boundary} key=${`${view} ${route.library}`}><${Focused} view=${view}><${loaded.component} route=${route} /><//><//>`;
}

/** Load a view; where the server is away, again when it is back. @param {string} view @returns {Loaded | null} */
function useView(view) {
  const [loaded, setLoaded] = useState(/** @type {Loaded | null} */ (null));
  const returned = useSignal(returns);
  useEffect(() => {
    let isCurrent = true;
    if (isView(view)) {
      VIEWS[view].load().then(
        (module) => isCurrent && setLoaded({ view, component: module.default }),
        async () => (await isThere()) && isCurrent && setLoaded({ view, component: null }),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [view, returned]);
  return loaded;
}

/** @param {{ title: string }} props */
const Place = ({ title }) => html`<${Empty} title=${title}><a class="button" href=${href('shelf')}>${t('shell.toShelf')}</a><//>`;

/** The server has another version of the page than this one. */
const Stale = () => html`<${Empty} title=${t('shell.stale')}>
  <button type="button" class="button" onClick=${() => location.reload()}>${t('shell.reload')}</button>
<//>`;

let isFirst = true; // the first view leaves the focus where the browser puts it

/** Give a view that was switched to the focus, so that keyboard and screen reader begin there. @param {{ view: string, children?: unknown }} props */
function Focused({ view, children }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (!isFirst && isFocusFree() && !box.current?.contains(document.activeElement)) box.current?.focus(); // a view may have chosen itself
    isFirst = false;
  }, []);
  return html`<div class=${`view view-${view}`} ref=${box} tabindex=${-1}>${children}</div>`;
}

/** @extends {Component<{ children?: unknown }, { error: unknown }>} */
class Boundary extends Component {
  /** @param {unknown} error */
  static getDerivedStateFromError(error) {
    return { error };
  }

  render() {
    const { error } = /** @type {{ error?: unknown }} */ (this.state);
    const { children } = /** @type {{ children?: unknown }} */ (this.props);
    return error ? html`<${ErrorLine} error=${error} onRetry=${() => location.reload()} />` : html`<div>${children}</div>`;
  }
}

/** Remember the library of the address for the navigation. @param {Route} route */
export function useLibraryOf(route) {
  useEffect(() => {
    if (route.library !== null) library.value = route.library;
  }, [route.library]);
}
