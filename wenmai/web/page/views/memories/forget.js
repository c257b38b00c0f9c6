// @ts-check
import * as memories from '../../api/memories.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { Confirm } from '../../parts/dialog.js';
import { toast } from '../../parts/toast.js';
import { copyOf, isWithheld } from './texts.js';

/** @typedef {memories.Memory} Memory */

/**
 * Forget a memory: at once with a way back where its text is known here, else after a question.
 * @param {() => void} onChange
 * @param {(error: unknown) => void} onError
 */
export function useForget(onChange, onError) {
  const [asked, setAsked] = useState(/** @type {Memory | null} */ (null));
  /** @param {Memory} memory */
  const remember = async (memory) => {
    try {
      await memories.add(copyOf(memory));
      onChange();
    } catch (error) {
      onError(error);
    }
  };
  /** @param {Memory} memory */
  const forget = async (memory) => {
    setAsked(null);
    try {
      const receipt = await memories.forget(memory.key);
      const text = t('memories.forgotten', { n: receipt.memories, threads: receipt.threads, traces: receipt.traces });
      toast(text, isWithheld(memory) ? {} : { undo: () => remember(memory) });
      onChange();
    } catch (error) {
      onError(error);
    }
  };
  return {
    /** @param {Memory} memory */
    ask: (memory) => (isWithheld(memory) ? setAsked(memory) : void forget(memory)),
    dialog: asked && html`<${Confirm} title=${t('memories.forgetTitle')} text=${t('memories.forgetText')} action=${t('memories.forgetDo')}
      onConfirm=${() => forget(asked)} onClose=${() => setAsked(null)} />`,
  };
}
