// @ts-check
/** Whether the page is being printed: then everything is on it, not only what is seen. */
import { signal } from '../signals.js';

export const printing = signal(false);

globalThis.addEventListener?.('beforeprint', () => { printing.value = true; });
// Some browsers send no afterprint; who touches the page again is behind the print.
for (const name of ['afterprint', 'pointerdown', 'keydown']) globalThis.addEventListener?.(name, () => { printing.value = false; }, true);

/** Print, once all of it is drawn. */
export function print() {
  printing.value = true;
  requestAnimationFrame(() => setTimeout(() => globalThis.print()));
}
