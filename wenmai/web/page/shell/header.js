// @ts-check
/** The head of the page: its name, the navigation, language, theme, help. */
import { speak, t } from '../i18n/index.js';
import { html } from '../lib.js';
import { Icon } from '../parts/icon.js';
import { href } from '../router.js';
import { Find } from './find.js';
import { useSignal } from '../signals.js';
import { language, library, theme } from '../store.js';
import { NAMES, VIEWS } from '../views.js';

const ICONS = /** @type {const} */ ({ auto: 'auto', light: 'sun', dark: 'moon' });
const NEXT = /** @type {const} */ ({ auto: 'light', light: 'dark', dark: 'auto' });

/** Return the address of a view for the library that is open. @param {import('../views.js').ViewName} name @param {string | null} open */
export const addressOf = (name, open) => href(name, { library: VIEWS[name].isOfLibrary ? open : null });

/** @param {{ view: string, onHelp: () => void }} props */
export function Header({ view, onHelp }) {
  return html`<header class="top">
    <a class="brand" href=${href('shelf')}>${t('shell.name')}</a>
    <${Navigation} view=${view} />
    <div class="tools">
      <${Find} />
      <${ThemeButton} />
      <button type="button" class="icon-button wide-only" aria-label=${t('shell.help')} onClick=${onHelp}><${Icon} name="keyboard" /></button>
      <${LanguageButton} />
    </div>
  </header>`;
}

/** @param {{ view: string }} props */
function Navigation({ view }) {
  const open = useSignal(library);
  return html`<nav class="navigation" aria-label=${t('shell.navigation')}>
    ${NAMES.filter((name) => !VIEWS[name].isApart).map((name) => html`<a href=${addressOf(name, open)} aria-current=${name === view ? 'page' : undefined}>
      <${Icon} name=${name} /><span>${t(`shell.${name}`)}</span>
    </a>`)}
  </nav>`;
}

function ThemeButton() {
  const chosen = useSignal(theme);
  const label = t('shell.theme', { theme: t(`shell.${chosen}`) });
  return html`<button type="button" class="icon-button" aria-label=${label} title=${label} onClick=${() => { theme.value = NEXT[chosen]; }}>
    <${Icon} name=${ICONS[chosen]} />
  </button>`;
}

function LanguageButton() {
  const other = useSignal(language) === 'zh' ? 'en' : 'zh';
  return html`<button type="button" class="button quiet" lang=${other} onClick=${() => speak(other)}>${t('shell.language')}</button>`;
}
