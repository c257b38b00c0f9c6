// @ts-check
/** The quote behind a mark that is hovered or focused. */
import { t } from '../../i18n/index.js';
import { html, useContext, useEffect, useId, useRef, useState } from '../../lib.js';
import { useGuard } from '../../store.js';
import { markOf } from './marks.js';
import { InParts, isBeyond, placeName } from './places.js';

/** @typedef {{ n: number, button: HTMLElement, turn: string }} At */
/** @typedef {ReturnType<typeof useTip>} Tip */

const LINGER_MS = 200;
const WIDTH = 340;
const MARGIN = 8;

/** Follow the mark under the pointer or the focus. */
export function useTip() {
  const [at, setAt] = useState(/** @type {At | null} */ (null));
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const hide = () => {
    clearTimeout(timer.current);
    setAt(null);
  };
  /** @param {Event} event */
  const enter = (event) => {
    const found = markOf(event);
    if (found?.button.classList.contains('desk-mark')) {
      clearTimeout(timer.current);
      setAt(found);
    }
  };
  const stay = () => clearTimeout(timer.current);
  const leave = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(hide, LINGER_MS);
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.key !== 'Escape' || at === null) return;
    event.stopPropagation();
    hide();
  };
  useEffect(() => stay, []);
  return { at, hide, stay, leave, listeners: { onMouseOver: enter, onMouseOut: leave, onFocusIn: enter, onFocusOut: leave, onKeyDown, onScroll: () => setAt((now) => now && { ...now }) } };
}

/** @param {{ tip: Tip, library: string | null, turns: readonly import('../../api/threads.js').Turn[] }} props */
export function QuoteTip({ tip, library, turns }) {
  const guard = useGuard(library);
  const inParts = useContext(InParts);
  const id = useId();
  const { at } = tip;
  useEffect(() => {
    at?.button.setAttribute('aria-describedby', id);
    return () => at?.button.removeAttribute('aria-describedby');
  }, [at]);
  const citation = at && turns.find((one) => String(one.number) === at.turn)?.citations?.find((one) => one.n === at.n);
  if (!at || !citation) return null;
  return html`<div class="desk-tip" id=${id} role="tooltip" style=${placed(at.button.getBoundingClientRect())} onMouseEnter=${tip.stay} onMouseLeave=${tip.leave}>
    <p class="muted small">${placeName(citation, inParts)}</p>
    <p class="desk-tip-quote">${isBeyond(citation, guard) ? t('desk.beyond') : citation.quote}</p>
  </div>`;
}

/** Above the mark where there is more room, and never beyond the window. @param {DOMRect} mark */
function placed(mark) {
  const left = Math.max(MARGIN, Math.min(mark.left - WIDTH / 2, innerWidth - WIDTH - MARGIN));
  const isAbove = mark.top > innerHeight / 2;
  return { left: `${left}px`, ...(isAbove ? { bottom: `${innerHeight - mark.top + MARGIN}px` } : { top: `${mark.bottom + MARGIN}px` }) };
}
