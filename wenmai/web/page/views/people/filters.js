// @ts-check
/** What the picture shows: whose surroundings, how many, which kinds and relations. The chips are its legend as well. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { PersonSearch } from './person-search.js';
import { colourOf } from './drawing.js';
import { kindText, typeText } from './words.js';

const SIZES = [20, 40, 60, 100, 200, 400];
/** @typedef {{ kinds: ReadonlySet<string>, types: ReadonlySet<string>, most: number }} Settings */

/** @param {ReadonlySet<string>} all @param {string} one */
function toggled(all, one) {
  const next = new Set(all);
  if (!next.delete(one)) next.add(one);
  return next;
}

/**
 * @param {{ settings: Settings, onChange: (settings: Settings) => void, kinds: string[], types: string[], focus: string | null,
 *   onFocus: (name: string | null) => void, people: readonly import('./person-search.js').Named[] }} props
 */
export function Filters({ settings, onChange, kinds, types, focus, onFocus, people }) {
  const kindChip = (/** @type {string} */ kind) => html`<button type="button" class="chip people-chip" aria-pressed=${!settings.kinds.has(kind)}
    onClick=${() => onChange({ ...settings, kinds: toggled(settings.kinds, kind) })}>
    <span class=${`people-dot is-${kind}`} style=${{ background: `var(${colourOf(kind)})` }}></span>${kindText(kind)}</button>`;
  const typeChip = (/** @type {string} */ label) => {
    const own = types.filter((type) => typeText(type) === label); // some types have one name: they go together
    const isOn = own.some((type) => !settings.types.has(type));
    const others = [...settings.types].filter((type) => !own.includes(type));
    return html`<button type="button" class="chip people-chip" key=${label} aria-pressed=${isOn}
      onClick=${() => onChange({ ...settings, types: new Set(isOn ? [...others, ...own] : others) })}>${label}</button>`;
  };
  return html`<div class="people-filters">
    <div class="row people-first-filters">
      ${focus === null ? people.length > 0 && html`<${PersonSearch} label=${t('people.focus')} people=${people} onPick=${onFocus} />`
        : html`<button type="button" class="chip is-on" onClick=${() => onFocus(null)}>${t('people.focused', { name: focus })} <span aria-hidden="true">×</span></button>`}
      <label class="people-most"><span class="muted small">${t('people.most')}</span>
        <select value=${settings.most} onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => onChange({ ...settings, most: Number(event.target.value) })}>
          ${SIZES.map((size) => html`<option value=${size}>${size}</option>`)}</select></label>
      <div class="people-chips" role="group" aria-label=${t('people.kinds')}>${kinds.map(kindChip)}</div>
    </div>
    ${types.length > 0 && html`<div class="people-chips" role="group" aria-label=${t('people.types')}>${[...new Set(types.map(typeText))].map(typeChip)}</div>`}
  </div>`;
}
