// @ts-check
/** Where the reader is: kept on the server as the text is scrolled, and found again. */
import * as stories from '../../api/stories.js';
import { useEffect, useLayoutEffect, useRef } from '../../lib.js';

const SETTLE_MS = 400; // after the last scroll
const HEAD = 90; // pixels: a little more than what stays free above a paragraph that is revealed
const FRAMES = 40; // until the paragraphs around a place that is revealed have their true heights
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown']; // by which a reader scrolls

/** Call a function when the reader moves; returns what ends that. @param {() => void} act */
function onMoves(act) {
  for (const move of MOVES) addEventListener(move, act, { passive: true });
  return () => {
    for (const move of MOVES) removeEventListener(move, act);
  };
}

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
 * @param {boolean} isVisit the address shows words: a place only from where the reader scrolls on
 * @param {(at: number) => void} onPlace
 */
export function useFollowed(box, isVisit, onPlace) {
  const act = useRef(onPlace);
  act.current = onPlace;
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let last = -1;
    let isRead = !isVisit;
    const note = () => {
      const at = topmost(box.current);
      if (!isRead || at === null || at === last) return;
      last = at;
      act.current(at);
    };
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(note, SETTLE_MS);
    };
    const endMoves = onMoves(() => {
      isRead = true;
    });
    addEventListener('scroll', onScroll, { passive: true });
    timer = setTimeout(note, SETTLE_MS); // a chapter that is opened is a place, too
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
      endMoves();
    };
  }, [isVisit]);
}

/**
 * Show a place of the chapter when it is opened, its marked words where there are some: its beginning for null.
 * Paragraphs get their true heights when they come near, so it is shown anew for some frames, until the reader moves.
 * @param {{ current: HTMLElement | null }} box
 * @param {number | null} at
 */
export function useRevealed(box, at) {
  useLayoutEffect(() => {
    if (at === null) {
      scrollTo({ top: 0 });
      return undefined;
    }
    let [frame, left] = [0, FRAMES];
    const stop = () => cancelAnimationFrame(frame);
    const show = () => {
      const shown = box.current?.querySelector('mark.is-current') ?? box.current?.querySelector(`[data-at="${at}"]`);
      shown?.scrollIntoView({ block: 'start' });
      left -= 1;
      if (left > 0) frame = requestAnimationFrame(show);
    };
    show();
    const endMoves = onMoves(stop);
    return () => {
      stop();
      endMoves();
    };
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
