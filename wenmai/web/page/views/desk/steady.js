// @ts-check
import { ApiError } from '../../api/problems.js';
import { useRef } from '../../lib.js';

/**
 * Load something so that what was there stays while the server is away.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @returns {(signal: AbortSignal) => Promise<T>}
 */
export function useSteady(load) {
  const last = useRef(/** @type {T | null} */ (null));
  return async (signal) => {
    try {
      last.current = await load(signal);
    } catch (error) {
      if (last.current === null || !(error instanceof ApiError) || error.status !== 0) throw error;
    }
    return last.current;
  };
}
