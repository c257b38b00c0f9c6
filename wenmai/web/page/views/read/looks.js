// @ts-check
/** How the book looks to its reader: size and width of the type, names marked or not. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { remembered, useSignal } from '../../signals.js';

/** @typedef {{ size: number, width: number, hasNames: boolean }} Looks */

const MOST_SIZE = 4;
const WIDTHS = /** @type {const} */ (['narrow', 'middle', 'broad']);

/** @param {unknown} value @returns {value is Looks} */
function isLooks(value) {
  const { size, width, hasNames } = Object(value);
  return Number.isInteger(size) && size >= 0 && size <= MOST_SIZE && Number.isInteger(width) && width >= 0 && width < WIDTHS.length && typeof hasNames === 'boolean';
}

export const looks = remembered('reading', /** @type {Looks} */ ({ size: 1, width: 1, hasNames: true }), isLooks, { isShared: true });

/** @param {Looks} chosen */
export const classOf = ({ size, width }) => `read-size-${size} read-width-${width}`;

/** The buttons that change it. */
export function LooksBar() {
  const chosen = useSignal(looks);
  const resize = (/** @type {number} */ step) => { looks.value = { ...chosen, size: chosen.size + step }; };
  const label = t('read.width', { width: t(`read.${WIDTHS[chosen.width]}`) });
  return html`<div class="read-looks" role="group" aria-label=${t('read.looks')}>
    <button type="button" class="icon-button read-smaller" aria-label=${t('read.smaller')} title=${t('read.smaller')} disabled=${chosen.size === 0} onClick=${() => resize(-1)}>A</button>
    <button type="button" class="icon-button read-larger" aria-label=${t('read.larger')} title=${t('read.larger')} disabled=${chosen.size === MOST_SIZE} onClick=${() => resize(1)}>A</button>
    <button type="button" class="icon-button wide-only" aria-label=${label} title=${label} onClick=${() => { looks.value = { ...chosen, width: (chosen.width + 1) % WIDTHS.length }; }}><${Icon} name="width" /></button>
    <button type="button" class="icon-button" aria-label=${t('read.names')} title=${t('read.names')} aria-pressed=${chosen.hasNames} onClick=${() => { looks.value = { ...chosen, hasNames: !chosen.hasNames }; }}><${Icon} name="people" /></button>
  </div>`;
}
