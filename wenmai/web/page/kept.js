// @ts-check
/** What a tab keeps over a reload: values by a name and a key. A browser that keeps nothing forgets them with the page. */

/** @param {string} name @returns {Record<string, any>} */
export function keptOf(name) {
  try {
    return Object(JSON.parse(sessionStorage.getItem(name) ?? '{}'));
  } catch {
    return {};
  }
}

/** @param {string} name @param {string} key @param {unknown} value  undefined drops what is there */
export function keep(name, key, value) {
  const { [key]: _, ...others } = keptOf(name);
  try {
    sessionStorage.setItem(name, JSON.stringify({ ...others, [key]: value }));
  } catch {
    // Nothing is kept.
  }
}
