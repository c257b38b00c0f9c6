// @ts-check
/** What is begun and not sent: kept by this tab over a reload. */

const TEXTS = 'wenmai.unsent', FRESH = 'wenmai.fresh';

/** What was written on a thread. @param {string} thread */
export const unsent = (thread) => kept(TEXTS)[thread] ?? '';

/** @param {string} thread @param {string} text */
export const keepUnsent = (thread, text) => put(TEXTS, thread, text);

/** The id of the thread that the next new talk of a library gets: what was written and uploaded for it is found by it. @param {string | null} library */
export const fresh = (library) => kept(FRESH)[library ?? ''] ?? null;

/** @param {string | null} library @param {string} id  '' once it is used */
export const keepFresh = (library, id) => put(FRESH, library ?? '', id);

/** @param {string} name @returns {Record<string, string>} */
function kept(name) {
  try {
    return Object(JSON.parse(sessionStorage.getItem(name) ?? '{}'));
  } catch {
    return {};
  }
}

/** @param {string} name @param {string} key @param {string} value */
function put(name, key, value) {
  const { [key]: _, ...others } = kept(name);
  try {
    sessionStorage.setItem(name, JSON.stringify(value ? { ...others, [key]: value } : others));
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}
