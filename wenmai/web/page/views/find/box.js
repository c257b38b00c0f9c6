// @ts-check
/** One box for everything: the text of the open book, its people and events, one's talks. */
import * as libraries from '../../api/libraries.js';
import { ApiError } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useRef, useState } from '../../lib.js';
import { Dialog } from '../../parts/dialog.js';
import { moved } from '../../parts/keys.js';
import { useLoad } from '../../parts/load.js';
import { isInParts } from '../../parts/positions.js';
import { useGuard } from '../../store.js';
import { InEvents, InPeople, InTalks, InText } from './groups.js';

const PAUSE_MS = 180;
const MOST_CHARACTERS = 200;
let last = ''; // what was sought before: the next look goes on from there

/** @param {{ library: string | null, onClose: () => void }} props */
export default function FindBox({ library, onClose }) {
  const guard = useGuard(library);
  const [text, setText] = useState(last);
  const [query, setQuery] = useState(last.trim());
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const book = useLoad(async (signal) => (library === null ? null : libraries.get(library, guard, signal)), [library, guard]);
  useEffect(() => {
    last = text;
    const timer = setTimeout(() => setQuery(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const open = book.error instanceof ApiError && book.error.status === 404 ? null : library; // it may be deleted
  const sought = { library: open, guard: open === null ? null : guard, query, isInParts: isInParts(book.data), onPick: onClose };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.key !== 'Escape' || event.isComposing) return move(event, box.current);
    event.preventDefault(); // a field that is sought in would be cleared first
    return onClose();
  };
  return html`<${Dialog} title=${t('find.title')} wide onClose=${onClose}>
    <div class="find" ref=${box} onKeyDown=${onKeyDown}>
      <input type="search" autocomplete="off" maxlength=${MOST_CHARACTERS} aria-label=${t('find.words')} placeholder=${t('find.words')} value=${text}
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setText(event.target.value)} />
      <p class="muted small">${open === null ? t('find.inTalks') : t(guard ? 'find.inGuarded' : 'find.inBook', { title: book.data?.title ?? open })}</p>
      <div class="find-results">${query !== '' && html`
        ${open !== null && html`<${InText} key=${query} ...${sought} /><${InPeople} ...${sought} /><${InEvents} ...${sought} />`}
        <${InTalks} ...${sought} />`}</div>
    </div>
  <//>`;
}

/** Arrows go from the box to the results and through them. @param {KeyboardEvent} event @param {HTMLElement | null} box */
function move(event, box) {
  if (event.isComposing || !['ArrowDown', 'ArrowUp'].includes(event.key)) return;
  const all = /** @type {HTMLElement[]} */ ([...(box?.querySelectorAll('input, a.find-row') ?? [])]);
  const next = moved(event.key, all.indexOf(/** @type {HTMLElement} */ (document.activeElement)), all.length, 'vertical');
  if (next === null || all.length < 2) return;
  event.preventDefault();
  all[next].focus();
}
