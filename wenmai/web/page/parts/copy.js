// @ts-check
/**
 * Put a text into the clipboard; also where the page came over plain HTTP, which has no clipboard of its own, or the browser refuses it.
 * Throws an Error 'copy' where no way leads there.
 * @param {string} text
 */
export async function copy(text) {
  if (await navigator.clipboard?.writeText(text).then(() => true, () => false)) return;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const focused = document.activeElement;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  if (!isDone) throw new Error('copy');
}
