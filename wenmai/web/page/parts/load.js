// @ts-check
/** What a view asks the server for: loading, error, data. */
import { isAbort } from '../api/problems.js';
import { returns } from '../api/connection.js';
import { html, useCallback, useEffect, useState } from '../lib.js';
import { useSignal } from '../signals.js';
import { ErrorLine } from './error-line.js';
import { isWithin } from './positions.js';
import { Loading } from './progress.js';

/**
 * @template T
 * @typedef {{ data: T | null, error: unknown, isLoading: boolean, reload: () => void }} Loaded
 */

/** @typedef {import('../store.js').Guard} Guard */

/**
 * Load something, anew when a dependency changes, when `reload` is called, and when the server came back.
 * The older data stays until the new are there, unless it goes beyond the spoiler guard.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {readonly unknown[]} dependencies
 * @param {Guard | null} [guard] of what is read from a book
 * @returns {Loaded<T>}
 */
export function useLoad(load, dependencies, guard = null) {
  const [state, setState] = useState({ data: /** @type {T | null} */ (null), error: /** @type {unknown} */ (null), isLoading: true, guard });
  const [round, setRound] = useState(0);
  const returned = useSignal(returns);
  useEffect(() => {
    const control = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(control.signal).then(
      (data) => control.signal.aborted || setState({ data, error: null, isLoading: false, guard }),
      (error) => isAbort(error) || control.signal.aborted || setState({ data: null, error, isLoading: false, guard }),
    );
    return () => control.abort();
  }, [...dependencies, round, returned]);
  return { ...state, data: isWithin(state.guard, guard) ? state.data : null, reload: useCallback(() => setRound((before) => before + 1), []) };
}

/**
 * Show what was loaded, or that it is not there yet, or why not.
 * @template T
 * @param {{ of: Loaded<T>, children: (data: T) => unknown }} props
 */
export function Loader({ of, children }) {
  if (of.error) return html`<${ErrorLine} error=${of.error} onRetry=${of.reload} />`;
  return of.data === null ? html`<${Loading} />` : html`<div aria-busy=${of.isLoading}>${children(of.data)}</div>`;
}
