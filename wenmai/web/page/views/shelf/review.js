// @ts-check
/** A look at the chapters of a file, to accept or to mend, before anything is stored. */
import * as libraries from '../../api/libraries.js';
import { errorText } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useId, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { Progress } from '../../parts/progress.js';
import { useSignal } from '../../signals.js';
import { Refused } from './drop-zone.js';
import { sizeText, stemOf } from './files.js';
import { listOf, losesChapters, rowsOf } from './headings.js';
import { useLook } from './look.js';
import { accept, acceptAll, drop, pending } from './pending.js';
import { Chapters } from './review-chapters.js';
import { Asides } from './review-notes.js';
import { keyOf, oldsOf, Replacement, Tables } from './review-more.js';

/** @typedef {import('../../api/libraries.js').Preview} Preview */
/** @typedef {{ headings?: string, chapters?: string }} Choice */

/** @type {Choice} */
const NOTHING = {};

/** The first of the files that wait. @param {{ books: readonly libraries.Library[] }} props */
export function Review({ books }) {
  const taken = books.map((book) => book.name);
  const waiting = useSignal(pending);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    heading.current?.focus();
    scrollTo(0, 0);
    return () => scrollTo(0, 0);
  }, [waiting[0]?.id]);
  if (waiting.length === 0) return null;
  return html`<section class="review">
    <h1 ref=${heading} tabindex=${-1}>${t('shelf.review')}</h1>
    <${Refused} />
    <${File} key=${waiting[0].id} draft=${waiting[0]} taken=${taken} books=${books} others=${waiting.length - 1} />
  </section>`;
}

/** @param {File} file @param {Choice} choice @param {number} [show] */
export function formOf(file, choice, show) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...choice, show })) if (value !== undefined && value !== '') form.set(name, String(value));
  form.set('file', file);
  return form;
}

/** @param {{ draft: import('./pending.js').Draft, taken: readonly string[], books: readonly libraries.Library[], others: number }} props */
function File({ draft, taken, books, others }) {
  const { preview, error, isBusy, sent, now: choice, isMended, mend, undo, reset } = useLook(NOTHING, (wanted, options) => libraries.preview(formOf(draft.file, wanted), options));
  const found = useRef(/** @type {Preview | null} */ (null)); // of the first look; what the user has chosen goes before it
  found.current ??= preview;
  const [chosen, setChosen] = useState(/** @type {{ title?: string, language?: 'zh' | 'en' }} */ ({}));
  const title = chosen.title ?? ((draft.group.library === null && found.current?.title) || draft.group.title);
  const language = chosen.language ?? found.current?.language ?? 'zh';
  const [tables, setTables] = useState(/** @type {readonly globalThis.File[]} */ ([]));
  const olds = draft.group.library === null ? oldsOf(books, title, stemOf(draft.file.name)) : [];
  const [picked, setPicked] = useState(/** @type {string | null} */ (null)); // '' is a new book
  const into = olds.find((one) => keyOf(one) === (picked ?? keyOf(olds[0]))) ?? null;
  /** @param {readonly import('./headings.js').Row[]} rows */
  const mendRows = (rows) => mend(listOf(rows) ? { headings: listOf(rows) } : { chapters: 'none' });
  const take = () => accept(draft, { title: title.trim() || draft.group.title, language, fields: { .../** @type {Record<string, string>} */ (choice) }, tables, into }, taken);
  return html`<div class="stack">
    <${About} draft=${draft} preview=${preview} title=${title} language=${language} onChoose=${(/** @type {typeof chosen} */ next) => setChosen({ ...chosen, ...next })} />
    ${preview && olds.length > 0 && html`<${Replacement} olds=${olds} into=${into} onPick=${setPicked} />`}
    ${preview && html`<${Tables} files=${tables} isKept=${into !== null || draft.group.replaces !== undefined} onChange=${setTables} />`}
    ${preview === null && isBusy && html`<${Progress} label=${t('shelf.reading', { name: draft.file.name })} value=${sent < 1 ? sent : undefined} />`}
    ${error && html`<p class="error-line" role="alert"><span>${t('shelf.ofFile', { name: draft.file.name, reason: error })}</span></p>`}
    ${preview && html`<div class="stack" aria-busy=${isBusy}>
      <${Ways} choice=${choice} isMended=${isMended} isBusy=${isBusy} onChoose=${mend} onUndo=${undo} onReset=${reset} />
      ${[...preview.odd, ...preview.warnings].map((line) => html`<p class="review-odd"><${Icon} name="warning" /><span>${line}</span></p>`)}
      ${losesChapters(preview) && html`<p class="muted small">${t('shelf.fromContents')}</p>`}
      <${Chapters} preview=${preview} file=${draft.file} choice=${choice} onMend=${mendRows} />
      <${Asides} preview=${preview} rows=${rowsOf(preview)} onMend=${mendRows} />
    </div>`}
    <div class="review-foot row end">
      <button type="button" class="button quiet" onClick=${() => drop(draft.id)}>${t(others ? 'shelf.skip' : 'parts.cancel')}</button>
      ${others > 0 && html`<${AcceptAll} taken=${taken} books=${books} count=${others + 1} isBusy=${isBusy} onShown=${preview ? take : null} />`}
      <button type="button" class="button primary" disabled=${preview === null || isBusy} onClick=${take}><${Icon} name="check" />${t('shelf.accept')}</button>
    </div>
  </div>`;
}

/** Take in the shown file as it is shown, and each other as it would be shown. @param {{ taken: readonly string[], books: readonly libraries.Library[], count: number, isBusy: boolean, onShown: (() => void) | null }} props */
function AcceptAll({ taken, books, count, isBusy, onShown }) {
  const [error, setError] = useState('');
  const take = () => {
    onShown?.();
    void acceptAll(taken, (draft, title) => oldsOf(books, title, stemOf(draft.file.name))[0] ?? null).catch((failure) => setError(errorText(failure)));
  };
  return html`${error && html`<span class="danger-text small" role="alert">${error}</span>`}
    <button type="button" class="button" disabled=${isBusy} onClick=${take}>${t('shelf.acceptAll', { n: count })}</button>`;
}

/**
 * @param {{ draft: import('./pending.js').Draft, preview: Preview | null, title: string, language: 'zh' | 'en',
 *   onChoose: (next: { title?: string, language?: 'zh' | 'en' }) => void }} props
 */
function About({ draft, preview, title, language, onChoose }) {
  const isNew = draft.group.library === null;
  return html`<div class="card stack">
    ${isNew ? html`<div class="review-fields">
      <label class="field"><span>${t('shelf.bookTitle')}</span><input type="text" maxlength="200" required value=${title}
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => onChoose({ title: event.target.value })} /></label>
      <label class="field"><span>${t('shelf.bookLanguage')}</span><select value=${language}
        onChange=${(/** @type {{ target: HTMLSelectElement }} */ event) => onChoose({ language: /** @type {'zh' | 'en'} */ (event.target.value) })}>
        <option value="zh">${t('shelf.zh')}</option><option value="en">${t('shelf.en')}</option></select></label>
    </div>` : html`<p>${t(draft.group.replaces ? 'shelf.replacing' : 'shelf.into', { title: draft.group.title })}</p>`}
    <p class="muted small">${[draft.file.name, sizeText(draft.file.size), ...(preview?.authors ?? [])].join(' · ')}</p>
    ${preview && html`<p class="review-sum"><strong>${t('shelf.chapters', { n: preview.chapters.length })}</strong>
      ${preview.parts.length > 1 && html` · ${t('shelf.parts', { n: preview.parts.length })}`} · ${t('shelf.characters', { n: preview.characters })}</p>`}
  </div>`;
}

/** Return how chapters are found by a choice. @param {Choice} choice */
export function wayOf({ headings, chapters }) {
  if (headings) return 'list';
  if (!chapters) return 'auto';
  return chapters === 'toc' || chapters === 'none' ? chapters : 'pattern';
}

/**
 * How chapters are found, and the way back.
 * @param {{ choice: Choice, isMended: boolean, isBusy: boolean, onChoose: (choice: Choice) => void, onUndo: () => void, onReset: () => void }} props
 */
function Ways({ choice, isMended, isBusy, onChoose, onUndo, onReset }) {
  const id = useId();
  const [asked, setAsked] = useState(/** @type {Choice | null} */ (null)); // the choice in whose place a pattern is wanted
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const way = wayOf(choice);
  const now = asked === choice ? 'pattern' : way;
  const pattern = typed ?? (way === 'pattern' && choice.chapters ? choice.chapters : '');
  /** @param {{ target: HTMLSelectElement }} event */
  const choose = ({ target: { value } }) => {
    setAsked(value === 'pattern' ? choice : null);
    if (value === 'auto') onReset();
    else if (value === 'toc' || value === 'none') onChoose({ chapters: value });
  };
  /** @param {() => void} act */
  const back = (act) => () => {
    setAsked(null);
    setTyped(null);
    act();
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    onChoose({ chapters: pattern });
  };
  return html`<div class="review-ways row">
    <label for=${id} class="muted small">${t('shelf.way')}</label>
    <select id=${id} value=${now} onChange=${choose} disabled=${isBusy}>
      <option value="auto">${t('shelf.wayAuto')}</option><option value="toc">${t('shelf.wayToc')}</option>
      <option value="none">${t('shelf.wayNone')}</option><option value="pattern">${t('shelf.wayPattern')}</option>
      ${choice.headings && html`<option value="list">${t('shelf.wayList')}</option>`}
    </select>
    ${now === 'pattern' && html`<form class="row" onSubmit=${submit}>
      <input type="text" required value=${pattern} aria-label=${t('shelf.wayPattern')} placeholder="^第.+章"
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setTyped(event.target.value)} />
      <button type="submit" class="button">${t('shelf.try')}</button></form>`}
    ${isMended && html`<button type="button" class="button quiet" disabled=${isBusy} onClick=${back(onUndo)}>${t('parts.undo')}</button>
      <button type="button" class="button quiet" disabled=${isBusy} onClick=${back(onReset)}>${t('shelf.reset')}</button>`}
  </div>`;
}
