// @ts-check
/** Where the reader is: kept on the server as the text is scrolled, and found again. */
import * as stories from '../../api/stories.js';
import { useEffect, useLayoutEffect, useRef } from '../../lib.js';

const SETTLE_MS = 400; // after the last scroll
const HEAD = 140; // pixels that the head of the page takes at most

/**
 * Return where the paragraph at the top of what is seen begins; null where there is none.
 * @param {HTMLElement | null} box
 */
export function topmost(box) {
  const all = box ? /** @type {HTMLElement[]} */ ([...box.querySelectorAll('[data-at]')]) : [];
  let [low, high] = [0, all.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle].getBoundingClientRect().bottom > HEAD) high = middle;
    else low = middle + 1;
  }
  return all.length ? Number(all[low].dataset.at) : null;
}

/**
 * Keep the reader's place while a chapter is shown.
 * @param {{ current: HTMLElement | null }} box
 * @param {(at: number) => void} onPlace
 */
export function useFollowed(box, onPlace) {
  const act = useRef(onPlace);
  act.current = onPlace;
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let last = -1;
    const note = () => {
      const at = topmost(box.current);
      if (at === null || at === last) return;
      last = at;
      act.current(at);
    };
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(note, SETTLE_MS);
    };
    addEventListener('scroll', onScroll, { passive: true });
    timer = setTimeout(note, SETTLE_MS); // a chapter that is opened is a place, too
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
    };
  }, []);
}

/**
 * Show a place of the chapter when it is opened: its beginning for null.
 * @param {{ current: HTMLElement | null }} box
 * @param {number | null} at
 */
export function useRevealed(box, at) {
  useLayoutEffect(() => {
    const shown = at === null ? null : box.current?.querySelector(`[data-at="${at}"]`);
    if (shown) shown.scrollIntoView({ block: 'start' });
    else scrollTo({ top: 0 });
  }, [at]);
}

/**
 * Keep a place; where nobody is known as its reader, or the server is away, it is not kept.
 * @param {string} library
 * @param {stories.ChapterKey} chapter
 * @param {number} start
 */
export const keep = (library, { source, part, chapter, copy_number }, start) =>
  stories.setPlace(library, { source, part, chapter, copy_number, start }).catch(() => null);
