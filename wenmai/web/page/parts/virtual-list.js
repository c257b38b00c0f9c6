// @ts-check
import { html, useEffect, useLayoutEffect, useRef, useState } from '../lib.js';

const BEYOND = 6; // rows that are drawn above and below what is seen
const BORDERS = 2;

/**
 * Return which rows are drawn.
 * @param {{ top: number, height: number, rowHeight: number, count: number }} view
 */
export function drawn({ top, height, rowHeight, count }) {
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  return { first, end: Math.min(count, Math.ceil((top + height) / rowHeight) + BEYOND) };
}

/**
 * A list of rows of one height of which only those in view are drawn. It scrolls itself: give it a height in CSS.
 * @template T
 * @param {{ items: readonly T[], rowHeight: number, row: (item: T, index: number) => unknown, label: string,
 *   keyOf: (item: T) => string, showIndex?: number }} props  showIndex: the row to scroll to
 */
export function VirtualList({ items, rowHeight, row, label, keyOf, showIndex }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [view, setView] = useState({ top: 0, height: 600 });
  const measure = () => box.current && setView({ top: box.current.scrollTop, height: box.current.clientHeight });
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (showIndex !== undefined && box.current) box.current.scrollTop = Math.max(0, (showIndex - 2) * rowHeight);
  }, [showIndex]);
  const { first, end } = drawn({ ...view, rowHeight, count: items.length });
  return html`<div class="virtual-list" ref=${box} onScroll=${measure} role="group" aria-label=${label} tabindex=${0}
    style=${{ maxHeight: `${items.length * rowHeight + BORDERS}px` }}>
    <ul role="list" style=${{ height: `${items.length * rowHeight}px` }}>
      ${items.slice(first, end).map((item, index) => html`<li key=${keyOf(item)} aria-setsize=${items.length}
        aria-posinset=${first + index + 1} style=${{ top: `${(first + index) * rowHeight}px`, height: `${rowHeight}px` }}>${row(item, first + index)}</li>`)}
    </ul>
  </div>`;
}
