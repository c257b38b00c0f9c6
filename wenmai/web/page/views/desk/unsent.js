// @ts-check
/** What is begun and not sent: kept by this tab over a reload. */
import { keep, keptOf } from '../../kept.js';

const TEXTS = 'wenmai.unsent', FRESH = 'wenmai.fresh';

/** What was written on a thread. @param {string} thread @returns {string} */
export const unsent = (thread) => keptOf(TEXTS)[thread] ?? '';

/** @param {string} thread @param {string} text */
export const keepUnsent = (thread, text) => keep(TEXTS, thread, text || undefined);

/** The id of the thread that the next new talk of a library gets: what was written and uploaded for it is found by it. @param {string | null} library @returns {string | null} */
export const fresh = (library) => keptOf(FRESH)[library ?? ''] ?? null;

/** @param {string | null} library @param {string} id  '' once it is used */
export const keepFresh = (library, id) => keep(FRESH, library ?? '', id || undefined);
