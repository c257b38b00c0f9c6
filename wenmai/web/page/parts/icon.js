// @ts-check
import { html } from '../lib.js';

const PATHS = {
  shelf: 'M4 4h4v16H4zM8 4h4v16H8zM13.2 5.2l3.6-1 4 15.4-3.6 1z',
  read: 'M12 6c-2-1.500-5-2-9-2v14c4 0 7 .5 9 2 2-1.500 5-2 9-2V4c-4 0-7 .5-9 2zM12 6v14',
  desk: 'M4 5h16v11H9l-5 4z',
  people: 'M8 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2 20c0-4 2.500-6 6-6s6 2 6 6M16.500 11a3 3 0 1 0-1-5.800M17 14c3 .3 5 2.300 5 6',
  events: 'M3 6h10M3 12h18M9 18h12M13 6h0M5 3v6M17 9v6M11 15v6',
  documents: 'M6 3h8l4 4v14H6zM14 3v4h4',
  memories: 'M6 3h12v18l-6-4.500L6 21z',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5',
  close: 'M5 5l14 14M19 5L5 19',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600L19 19M5 19l1.400-1.400M17.600 6.400L19 5',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z',
  auto: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  width: 'M3 5v14M21 5v14M7 12h10M10 9l-3 3 3 3M14 9l3 3-3 3',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  eye: 'M2 12s3.500-6.500 10-6.500S22 12 22 12s-3.500 6.500-10 6.500S2 12 2 12zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  plus: 'M12 4v16M4 12h16',
  minus: 'M4 12h16',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  full: 'M3 4h18v16H3zM3 9h18M8 14h8',
  shrink: 'M9 4v5H4M15 4v5h5M20 15h-5v5M4 15h5v5',
  upload: 'M12 16V4M6 10l6-6 6 6M4 20h16',
  download: 'M12 4v12M6 10l6 6 6-6M4 20h16',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14',
  join: 'M5 4h14M12 20V8M7 13l5-5 5 5',
  edit: 'M4 20l1-5L16 4l4 4L9 19z',
  copy: 'M9 9h11v11H9zM6 15H4V4h11v2',
  again: 'M20 12a8 8 0 1 1-2.500-5.800M20 4v5h-5',
  check: 'M4 12l5 6L20 6',
  attach: 'M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.300 3.300 0 0 1 4.700 4.700L9.400 17a1.700 1.700 0 0 1-2.400-2.400L14.500 7',
  list: 'M4 6h16M4 12h16M4 18h16',
  warning: 'M12 3L2 21h20zM12 10v5M12 18h.01',
};

/** @typedef {keyof typeof PATHS} IconName */

/**
 * A drawing beside words; alone it needs an aria-label on its button.
 * @param {{ name: IconName }} props
 */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;
}
