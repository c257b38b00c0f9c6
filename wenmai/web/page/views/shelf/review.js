// @ts-check
/** A look at the chapters of a file, to accept or to mend, before anything is stored. */
import * as libraries from '../../api/libraries.js';
import { isAbort } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useId, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { Progress } from '../../parts/progress.js';
import { useSignal } from '../../signals.js';
import { Refused } from './drop-zone.js';
import { fileErrorText, sizeText } from './files.js';
import { listOf, losesChapters, rowsOf } from './headings.js';
import { accept, acceptAll, drop, pending } from './pending.js';
import { Chapters } from './review-chapters.js';
import { Asides } from './review-notes.js';

/** @typedef {import('../../api/libraries.js').Preview} Preview */
/** @typedef {{ headings?: string, chapters?: string }} Choice */

/** The first of the files that wait. @param {{ taken: readonly string[] }} props */
export function Review({ taken }) {
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
    <${File} key=${waiting[0].id} draft=${waiting[0]} taken=${taken} others=${waiting.length - 1} />
  </section>`;
}

/**
 * Ask the server what it makes of a file.
 * @param {File} file
 */
function usePreview(file) {
  const [state, setState] = useState({ preview: /** @type {Preview | null} */ (null), error: '', isBusy: true, sent: 0 });
  const [past, setPast] = useState(/** @type {Choice[]} */ ([{}]));
  const control = useRef(/** @type {AbortController | null} */ (null));
  /** @param {Choice[]} choices the last one counts; it is kept where it fits */
  const look = async (choices) => {
    control.current?.abort();
    const own = (control.current = new AbortController());
    setState((before) => ({ ...before, isBusy: true, error: '' }));
    try {
      const onProgress = (/** @type {number} */ sent, /** @type {number} */ total) => setState((before) => ({ ...before, sent: sent / total }));
      const preview = await libraries.preview(formOf(file, choices[choices.length - 1]), { signal: own.signal, onProgress });
      setPast(choices);
      setState({ preview, error: '', isBusy: false, sent: 1 });
    } catch (error) {
      if (!isAbort(error)) setState((before) => ({ ...before, error: fileErrorText(error), isBusy: false }));
    }
  };
  useEffect(() => {
    void look([{}]);
    return () => control.current?.abort();
  }, []);
  return { ...state, past, look };
}

/** @param {File} file @param {Choice} choice @param {number} [show] */
export function formOf(file, choice, show) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...choice, show })) if (value !== undefined && value !== '') form.set(name, String(value));
  form.set('file', file);
  return form;
}

/** @param {{ draft: import('./pending.js').Draft, taken: readonly string[], others: number }} props */
function File({ draft, taken, others }) {
  const { preview, error, isBusy, sent, past, look } = usePreview(draft.file);
  const found = useRef(/** @type {Preview | null} */ (null)); // of the first look; what the user has chosen goes before it
  found.current ??= preview;
  const [chosen, setChosen] = useState(/** @type {{ title?: string, language?: 'zh' | 'en' }} */ ({}));
  const title = chosen.title ?? ((draft.group.library === null && found.current?.title) || draft.group.title);
  const language = chosen.language ?? found.current?.language ?? 'zh';
  const choice = past[past.length - 1];
  /** @param {readonly import('./headings.js').Row[]} rows */
  const mend = (rows) => look([...past, listOf(rows) ? { headings: listOf(rows) } : { chapters: 'none' }]);
  const take = () => accept(draft, { title: title.trim() || draft.group.title, language, fields: { .../** @type {Record<string, string>} */ (choice) } }, taken);
  return html`<div class="stack">
    <${About} draft=${draft} preview=${preview} title=${title} language=${language} onChoose=${(/** @type {typeof chosen} */ next) => setChosen({ ...chosen, ...next })} />
    ${preview === null && isBusy && html`<${Progress} label=${t('shelf.reading', { name: draft.file.name })} value=${sent < 1 ? sent : undefined} />`}
    ${error && html`<p class="error-line" role="alert"><span>${t('shelf.ofFile', { name: draft.file.name, reason: error })}</span></p>`}
    ${preview && html`<div class="stack" aria-busy=${isBusy}>
      <${Ways} choice=${choice} isMended=${past.length > 1} isBusy=${isBusy} onChoose=${(/** @type {Choice} */ next) => look([...past, next])}
        onUndo=${() => look(past.slice(0, -1))} onReset=${() => look([{}])} />
      ${[...preview.odd, ...preview.warnings].map((line) => html`<p class="review-odd"><${Icon} name="warning" /><span>${line}</span></p>`)}
      ${losesChapters(preview) && html`<p class="muted small">${t('shelf.fromContents')}</p>`}
      <${Chapters} preview=${preview} file=${draft.file} choice=${choice} onMend=${mend} />
      <${Asides} preview=${preview} rows=${rowsOf(preview)} onMend=${mend} />
    </div>`}
    <div class="review-foot row end">
      <button type="button" class="button quiet" onClick=${() => drop(draft.id)}>${t(others ? 'shelf.skip' : 'parts.cancel')}</button>
      ${others > 0 && html`<${AcceptAll} taken=${taken} count=${others + 1} />`}
      <button type="button" class="button primary" disabled=${preview === null || isBusy} onClick=${take}><${Icon} name="check" />${t('shelf.accept')}</button>
    </div>
  </div>`;
}

/** @param {{ taken: readonly string[], count: number }} props */
function AcceptAll({ taken, count }) {
  const [error, setError] = useState('');
  const take = () => acceptAll(taken).catch((failure) => setError(fileErrorText(failure)));
  return html`${error && html`<span class="danger-text small" role="alert">${error}</span>`}
    <button type="button" class="button" onClick=${take}>${t('shelf.acceptAll', { n: count })}</button>`;
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
    </div>` : html`<p>${t('shelf.into', { title: draft.group.title })}</p>`}
    <p class="muted small">${[draft.file.name, sizeText(draft.file.size), ...(preview?.authors ?? [])].join(' · ')}</p>
    ${preview && html`<p class="review-sum"><strong>${t('shelf.chapters', { n: preview.chapters.length })}</strong>
      ${preview.parts.length > 1 && html` · ${t('shelf.parts', { n: preview.parts.length })}`} · ${t('shelf.characters', { n: preview.characters })}</p>`}
  </div>`;
}

/**
 * How chapters are found, and the way back.
 * @param {{ choice: Choice, isMended: boolean, isBusy: boolean, onChoose: (choice: Choice) => void, onUndo: () => void, onReset: () => void }} props
 */
function Ways({ choice, isMended, isBusy, onChoose, onUndo, onReset }) {
  const id = useId();
  const [asks, setAsks] = useState(false);
  const [pattern, setPattern] = useState('');
  const now = choice.headings ? 'list' : asks ? 'pattern' : ['toc', 'none'].includes(choice.chapters ?? '') ? choice.chapters : choice.chapters ? 'pattern' : 'auto';
  /** @param {{ target: HTMLSelectElement }} event */
  const choose = ({ target: { value } }) => {
    setAsks(value === 'pattern');
    if (value === 'auto') onReset();
    else if (value !== 'pattern' && value !== 'list') onChoose({ chapters: value });
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    setAsks(false);
    onChoose({ chapters: pattern });
  };
  return html`<div class="review-ways row">
    <label for=${id} class="muted small">${t('shelf.way')}</label>
    <select id=${id} value=${now} onChange=${choose} disabled=${isBusy}>
      <option value="auto">${t('shelf.wayAuto')}</option><option value="toc">${t('shelf.wayToc')}</option>
      <option value="none">${t('shelf.wayNone')}</option><option value="pattern">${t('shelf.wayPattern')}</option>
      ${now === 'list' && html`<option value="list">${t('shelf.wayList')}</option>`}
    </select>
    ${now === 'pattern' && html`<form class="row" onSubmit=${submit}>
      <input type="text" required value=${pattern || (choice.chapters ?? '')} aria-label=${t('shelf.wayPattern')} placeholder="^第.+章"
        onInput=${(/** @type {{ target: HTMLInputElement }} */ event) => setPattern(event.target.value)} />
      <button type="submit" class="button">${t('shelf.try')}</button></form>`}
    ${isMended && html`<button type="button" class="button quiet" disabled=${isBusy} onClick=${onUndo}>${t('parts.undo')}</button>
      <button type="button" class="button quiet" disabled=${isBusy} onClick=${onReset}>${t('shelf.reset')}</button>`}
  </div>`;
}
