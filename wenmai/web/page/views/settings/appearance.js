// @ts-check
import { speak, t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { useSignal } from '../../signals.js';
import { language, theme } from '../../store.js';

const THEMES = /** @type {const} */ (['auto', 'light', 'dark']);
const LANGUAGES = /** @type {const} */ (['zh', 'en']);
const NAMES = { zh: '中文', en: 'English' };

/** Language and theme of the page, remembered in this browser. */
export function Appearance() {
  const spoken = useSignal(language);
  const dressed = useSignal(theme);
  return html`<section class="card stack"><h2>${t('settings.appearance')}</h2>
    <${Choice} legend=${t('settings.language')} name="language" chosen=${spoken} options=${LANGUAGES.map((value) => ({ value, label: NAMES[value] }))}
      onChoose=${(/** @type {'zh' | 'en'} */ value) => speak(value)} />
    <${Choice} legend=${t('settings.theme')} name="theme" chosen=${dressed} options=${THEMES.map((value) => ({ value, label: t(`shell.${value}`) }))}
      onChoose=${(/** @type {import('../../store.js').Theme} */ value) => (theme.value = value)} />
  </section>`;
}

/** @param {{ legend: string, name: string, chosen: string, options: { value: string, label: string }[], onChoose: (value: any) => void }} props */
const Choice = ({ legend, name, chosen, options, onChoose }) => html`<fieldset class="settings-choice"><legend>${legend}</legend>
  <div class="row">${options.map(({ value, label }) => html`<label class="chip"><input type="radio" name=${name} value=${value} checked=${value === chosen}
    onChange=${() => onChoose(value)} />${label}</label>`)}</div></fieldset>`;
