// @ts-check
/** "I have read up to here": what the whole page obeys. */
import * as stories from '../api/stories.js';
import { t } from '../i18n/index.js';
import { html, useId, useRef, useState } from '../lib.js';
import { setGuard, useGuard } from '../store.js';
import { Icon } from './icon.js';
import { useLeaving } from './leaving.js';
import { Loader, useLoad } from './load.js';
import { indexOf, placeText, positions } from './positions.js';

/**
 * The chip that names the guard, and behind it the slider.
 * @param {{ library: string }} props
 */
export function GuardBar({ library }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const guard = useGuard(library);
  const chapters = useLoad((signal) => stories.chapters(library, { signal }), [library]);
  const all = positions(chapters.data ?? []);
  const box = useLeaving(isOpen, () => setOpen(false));
  return html`<div class=${guard ? 'guard is-on' : 'guard'} ref=${box}>
    <button type="button" class="chip" aria-expanded=${isOpen} aria-controls=${id} onClick=${() => setOpen(!isOpen)}>
      <${Icon} name="eye" /><span class="chip-text">${t('parts.guard', { place: placeText(all, guard) })}</span><${Icon} name="down" />
    </button>
    <div id=${id} class="guard-panel" hidden=${!isOpen}>
      ${isOpen && html`<${Loader} of=${chapters}>${() => html`<${GuardSlider} library=${library} all=${all} />`}<//>`}
    </div>
  </div>`;
}

/** @param {{ library: string, all: import('./positions.js').Position[] }} props */
function GuardSlider({ library, all }) {
  const guard = useGuard(library);
  const index = indexOf(all, guard);
  const [held, setHeld] = useState(/** @type {number | null} */ (null)); // while the slider is dragged
  const shown = held ?? index;
  const slider = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {number} next */
  const choose = (next) => {
    setHeld(null);
    setGuard(library, next >= all.length ? null : { part: all[next].part, chapter: all[next].chapter });
  };
  const showAll = () => {
    choose(all.length);
    slider.current?.focus(); // the button is off from now on
  };
  if (all.length === 0) return html`<p class="muted">${t('parts.noChapters')}</p>`;
  const text = placeText(all, all[shown] ?? null);
  /** @param {Event} event */
  const valueOf = (event) => Number(/** @type {HTMLInputElement} */ (event.target).value);
  return html`<div class="guard-slider">
    <p class="guard-place" aria-live="polite">${text}</p>
    <div class="row">
      <button type="button" class="icon-button" aria-label=${t('parts.previousChapter')} disabled=${index === 0}
        onClick=${() => choose(index - 1)}><${Icon} name="left" /></button>
      <input ref=${slider} type="range" min="0" max=${all.length} value=${shown} aria-label=${t('parts.guardLabel')} aria-valuetext=${text}
        onInput=${(/** @type {Event} */ event) => setHeld(valueOf(event))} onChange=${(/** @type {Event} */ event) => choose(valueOf(event))} />
      <button type="button" class="icon-button" aria-label=${t('parts.nextChapter')} disabled=${index === all.length}
        onClick=${() => choose(index + 1)}><${Icon} name="right" /></button>
      <button type="button" class="button quiet" disabled=${guard === null} onClick=${showAll}>${t('parts.wholeButton')}</button>
    </div>
    <p class="muted small">${t(shown >= all.length ? 'parts.wholeHint' : 'parts.guardHint')}</p>
  </div>`;
}
