// @ts-check
/** Where questions are written. */
import { t } from '../../i18n/index.js';
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { useShortcuts } from '../../parts/keys.js';
import { isFocusFree } from '../../parts/leaving.js';
import { DocumentMenu, Uploads } from './documents.js';
import { Sources } from './kit-menu.js';
import { stop } from './talks.js';
import { keepUnsent, unsent } from './unsent.js';

const MOST_CHARACTERS = 4000;
const COMPOSING = 229; // the key code of a key that an input method takes

/**
 * Return what a key does in the composer.
 * @param {Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing' | 'keyCode'>} event
 * @param {string} text
 * @returns {'send' | 'edit' | 'leave' | null}
 */
export function meaning(event, text) {
  if (event.isComposing || event.keyCode === COMPOSING || event.shiftKey || event.altKey) return null;
  if (event.key === 'Enter') return 'send';
  if (event.key === 'Escape') return 'leave';
  return event.key === 'ArrowUp' && text === '' && !event.ctrlKey && !event.metaKey ? 'edit' : null;
}

/** Whether there is a mouse, and most likely keys. */
const isPrecise = () => matchMedia('(pointer: fine)').matches;

/** @param {string | null} library */
function hintOf(library) {
  if (!isPrecise()) return library === null ? 'desk.questionShortAlone' : 'desk.questionShort';
  return library === null ? 'desk.questionHintAlone' : 'desk.questionHint';
}

/** @typedef {{ returned: string | null, quote: string, edited: { question: string } | null }} Given  returned: a question that was not asked; quote: what is asked about; edited: a question that is to be changed */

/**
 * What is written, kept over a reload, with what comes into it from elsewhere.
 * @param {string} thread
 * @param {Given} given
 * @param {{ current: HTMLElement | null }} field
 */
function useText(thread, { returned, quote, edited }, field) {
  const state = useState(unsent(thread));
  const [text, setText] = state;
  useLayoutEffect(() => keepUnsent(thread, text), [thread, text]);
  useEffect(() => {
    if (returned !== null) setText((written) => written || returned);
  }, [returned]);
  useEffect(() => {
    if (quote) setText((written) => (written.startsWith(quote) ? written : quote + written));
  }, [quote]);
  useEffect(() => {
    if (!edited) return;
    setText(edited.question);
    field.current?.focus();
  }, [edited]);
  return state;
}

/**
 * @param {{ library: string | null, thread: string, isRunning: boolean, documents: import('./documents.js').Documents, last: string,
 *   onAsk: (question: string) => void, children?: unknown } & Given} props
 */
export function Composer({ library, thread, isRunning, documents, last, returned, quote, edited, onAsk, children }) {
  const [isHeld, setHeld] = useState(false); // until the documents are read
  const isReading = documents.uploads.length > 0;
  const id = useId();
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const [text, setText] = useText(thread, { returned, quote, edited }, field);
  useLayoutEffect(() => {
    if (isPrecise() && isFocusFree()) field.current?.focus({ preventScroll: true });
  }, []);
  useShortcuts([{ keys: 'a', label: () => t('desk.toQuestion'), run: () => field.current?.focus() }]);
  /** @param {Event} [event] */
  const send = (event) => {
    event?.preventDefault();
    if (isRunning || !text.trim()) return;
    setHeld(isReading);
    if (isReading) return;
    onAsk(text.trim());
    setText('');
    if (!isPrecise()) field.current?.blur(); // the keyboard on the screen makes room for the answer
  };
  useEffect(() => {
    if (!isHeld || isReading) return;
    if (documents.error) setHeld(false);
    else send();
  }, [isHeld, isReading, isRunning]);
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    const wanted = meaning(event, text);
    if (wanted === 'leave') field.current?.blur();
    if (wanted === null || wanted === 'leave' || (wanted === 'edit' && !last)) return;
    event.preventDefault();
    if (wanted === 'send') send();
    else setText(last);
  };
  return html`<form class=${['desk-composer', last && 'is-later', isRunning && 'is-running'].filter(Boolean).join(' ')} onSubmit=${send}>
    ${children}
    <${Uploads} uploads=${documents.uploads} />
    <p class="muted small" role="status" hidden=${!isHeld}>${isHeld && t('desk.held')}</p>
    <div class="desk-composer-box" tabindex=${-1}>
      <label class="visually-hidden" for=${id}>${t('desk.question')}</label>
      <textarea id=${id} ref=${field} rows="1" maxlength=${MOST_CHARACTERS} placeholder=${t(hintOf(library))} value=${text} onKeyDown=${onKeyDown}
        onInput=${(/** @type {{ target: HTMLTextAreaElement }} */ event) => (setHeld(false), setText(event.target.value))}></textarea>
      <${Sources} library=${library} documents=${documents} />
      <div class="desk-composer-row">
        <${DocumentMenu} documents=${documents} />
        ${library !== null && html`<button type="button" class="button quiet" title=${t('desk.recapHint')} disabled=${isRunning} onClick=${() => onAsk(t('desk.recapQuestion'))}>${t('desk.recap')}</button>`}
        <span class="desk-grow"></span>
        ${isRunning ? html`<button key="stop" type="button" class="button" onClick=${() => stop(thread)}><${Icon} name="close" />${t('desk.stop')}</button>`
          : html`<button key="ask" type="submit" class="button primary" disabled=${!text.trim()}>${t('desk.ask')}</button>`}
      </div>
    </div>
  </form>`;
}
