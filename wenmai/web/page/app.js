// @ts-check
/** The page: its shell around the view of the address. */
import { hear } from './api/tabs.js';
import { prepare, t } from './i18n/index.js';
import { html, render, useEffect, useState } from './lib.js';
import { KeyboardHelp } from './parts/keyboard-help.js';
import { listen, useShortcuts } from './parts/keys.js';
import { Toasts } from './parts/toast.js';
import { follow, go, route } from './router.js';
import { Connection } from './shell/connection.js';
import { addressOf, Header } from './shell/header.js';
import { bookTitle, LibraryBar, NoBookBar } from './shell/library-bar.js';
import { SignIn } from './shell/sign-in.js';
import { useLibraryOf, ViewFrame } from './shell/view-frame.js';
import { useSignal } from './signals.js';
import { language, library, theme } from './store.js';
import { isView, NAMES, VIEWS } from './views.js';
import { visible } from './visible.js';

function App() {
  const here = useSignal(route);
  const spoken = useSignal(language);
  const title = useSignal(bookTitle);
  const [isHelp, setHelp] = useState(false);
  useLibraryOf(here);
  useShortcuts([{ keys: '?', label: () => t('shell.help'), run: () => setHelp(true) }, ...NAMES.map(shortcutTo)]);
  useEffect(() => {
    document.documentElement.lang = spoken === 'zh' ? 'zh-Hans' : 'en';
    document.title = visible([here.library !== null && title, isView(here.view) && t(`shell.${here.view}`), t('shell.name')].filter(Boolean).join(' · '));
  }, [spoken, here.view, here.library, title]);
  /** @param {Event} event */
  const skip = (event) => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  };
  return html`
    <a class="skip" href="#main" onClick=${skip}>${t('shell.skip')}</a>
    <${Header} view=${here.view} onHelp=${() => setHelp(true)} />
    <${Connection} />
    <${Toasts} />
    ${here.library !== null ? html`<${LibraryBar} key=${here.library} library=${here.library} />` : here.view === 'desk' && html`<${NoBookBar} />`}
    <main id="main" tabindex="-1"><${ViewFrame} route=${here} /></main>
    ${isHelp && html`<${KeyboardHelp} onClose=${() => setHelp(false)} />`}
    <${SignIn} />
  `;
}

/** @param {import('./views.js').ViewName} name */
const shortcutTo = (name) => ({
  keys: `g ${VIEWS[name].key}`,
  label: () => t('shell.goTo', { view: t(`shell.${name}`) }),
  run: () => go(addressOf(name, library.value)),
});

/** @param {import('./store.js').Theme} chosen */
function dress(chosen) {
  document.documentElement.dataset.theme = chosen;
}

/** Say which view is shown, for the layout of its page before it is loaded. @param {import('./router.js').Route} shown */
function frame(shown) {
  document.documentElement.dataset.view = shown.view;
}

dress(theme.value);
theme.subscribe(dress);
frame(route.value);
route.subscribe(frame);
follow();
hear();
listen();
await prepare(language.value);
const root = /** @type {HTMLElement} */ (document.getElementById('app'));
root.replaceChildren();
render(html`<${App} />`, root);
