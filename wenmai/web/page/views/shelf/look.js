// @ts-check
/** What the server makes of files, before anything is stored. */
import { returns } from '../../api/connection.js';
import { errorText, isAbort, isUnreachable } from '../../api/problems.js';
import { useEffect, useRef, useState } from '../../lib.js';
import { useSignal } from '../../signals.js';

/** @typedef {{ signal: AbortSignal, onProgress: (sent: number, total: number) => void }} Options */

/**
 * Look at files, and anew for every choice of how they are read; one that does not hold is not kept.
 * A look that reached nobody is made again when the server is back.
 * @template P, C
 * @param {C} first
 * @param {(choice: C, options: Options) => Promise<P>} ask
 * @param {boolean} [isReady] whether there is anything to look at
 */
export function useLook(first, ask, isReady = true) {
  const [state, setState] = useState({ preview: /** @type {P | null} */ (null), error: '', isBusy: isReady, sent: 0 });
  const [past, setPast] = useState([first]);
  const control = useRef(/** @type {AbortController | null} */ (null));
  const due = useRef(/** @type {C[] | null} */ (isReady ? [first] : null));
  const returned = useSignal(returns);
  /** @param {C[]} choices the last one counts */
  const look = async (choices) => {
    control.current?.abort();
    const { signal } = (control.current = new AbortController());
    due.current = null;
    setState((before) => ({ ...before, isBusy: true, error: '' }));
    try {
      const onProgress = (/** @type {number} */ sent, /** @type {number} */ total) => setState((before) => ({ ...before, sent: sent / total }));
      const preview = await ask(choices[choices.length - 1], { signal, onProgress });
      setPast(choices);
      setState({ preview, error: '', isBusy: false, sent: 1 });
    } catch (error) {
      if (isAbort(error)) return;
      if (isUnreachable(error)) due.current = choices;
      setState((before) => ({ ...before, error: errorText(error), isBusy: false }));
    }
  };
  useEffect(() => {
    if (due.current) void look(due.current);
  }, [returned]);
  useEffect(() => () => control.current?.abort(), []);
  return {
    ...state, now: past[past.length - 1], isMended: past.length > 1,
    mend: (/** @type {C} */ next) => look([...past, next]), undo: () => look(past.slice(0, -1)), reset: () => look([first]),
  };
}
