// @ts-check
/** "I have read up to here": what the whole page obeys. */
import * as stories from '../api/stories.js';
import { t } from '../i18n/index.js';
import { html, useEffect, useId, useRef, useState } from '../lib.js';
import { setGuard, useGuard } from '../store.js';
import { Icon } from './icon.js';
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
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => (isOpen ? leaving(box, () => setOpen(false), () => button.current?.focus()) : undefined), [isOpen]);
  return html`<div class=${guard ? 'guard is-on' : 'guard'} ref=${box}>
    <button ref=${button} type="button" class="chip" aria-expanded=${isOpen} aria-controls=${id} onClick=${() => setOpen(!isOpen)}>
      <${Icon} name="eye" /><span class="chip-text">${t('parts.guard', { place: placeText(all, guard) })}</span><${Icon} name="down" />
    </button>
    <div id=${id} class="guard-panel" hidden=${!isOpen}>
      ${isOpen && html`<${Loader} of=${chapters}>${() => html`<${GuardSlider} library=${library} all=${all} />`}<//>`}
    </div>
  </div>`;
}

/**
 * Close on Escape, wherever the focus is, and on a click elsewhere; return what stops that.
 * @param {{ current: HTMLElement | null }} box
 * @param {() => void} close
 * @param {() => void} refocus
 */
function leaving(box, close, refocus) {
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    close();
    refocus();
  };
  /** @param {PointerEvent} event */
  const onPointerDown = (event) => {
    if (event.target instanceof Node && !box.current?.contains(event.target)) close();
  };
  document.addEventListener('keydown', onKeyDown);
  document.addEventListener('pointerdown', onPointerDown);
  return () => {
    document.removeEventListener('keydown', onKeyDown);
    document.removeEventListener('pointerdown', onPointerDown);
  };
}

/** @param {{ library: string, all: import('./positions.js').Position[] }} props */
function GuardSlider({ library, all }) {
  const guard = useGuard(library);
  const index = indexOf(all, guard);
  const [held, setHeld] = useState(/** @type {number | null} */ (null)); // while the slider is dragged
  const shown = held ?? index;
  /** @param {number} next */
  const choose = (next) => {
    setHeld(null);
    setGuard(library, next >= all.length ? null : { part: all[next].part, chapter: all[next].chapter });
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
      <input type="range" min="0" max=${all.length} value=${shown} aria-label=${t('parts.guardLabel')} aria-valuetext=${text}
        onInput=${(/** @type {Event} */ event) => setHeld(valueOf(event))} onChange=${(/** @type {Event} */ event) => choose(valueOf(event))} />
      <button type="button" class="icon-button" aria-label=${t('parts.nextChapter')} disabled=${index === all.length}
        onClick=${() => choose(index + 1)}><${Icon} name="right" /></button>
      <button type="button" class="button quiet" disabled=${guard === null} onClick=${() => setGuard(library, null)}>${t('parts.wholeButton')}</button>
    </div>
    <p class="muted small">${t('parts.guardHint')}</p>
  </div>`;
}
