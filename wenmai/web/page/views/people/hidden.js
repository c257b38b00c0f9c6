// @ts-check
/** Who a reader does not want to see: kept by this browser for each library; the library itself stays as it is. */
import { remembered, useSignal } from '../../signals.js';

/** @param {unknown} value @returns {value is Record<string, string[]>} */
const isLists = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) &&
  Object.values(value).every((one) => Array.isArray(one) && one.every((name) => typeof name === 'string'));

const hidden = remembered('hidden', /** @type {Record<string, string[]>} */ ({}), isLists);

/** @param {string} library @param {string} name @param {boolean} isHidden */
export function setHidden(library, name, isHidden) {
  const others = (Object.hasOwn(hidden.value, library) ? hidden.value[library] : []).filter((one) => one !== name);
  hidden.value = { ...hidden.value, [library]: isHidden ? [...others, name] : others };
}

/** @param {string} library @returns {ReadonlySet<string>} */
export function useHidden(library) {
  const all = useSignal(hidden);
  return new Set(Object.hasOwn(all, library) ? all[library] : []);
}
