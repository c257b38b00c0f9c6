// @ts-check
import * as threads from '../api/threads.js';
import { isAbort } from '../api/problems.js';
import { t } from '../i18n/index.js';
import { html, useRef, useState } from '../lib.js';
import { ErrorLine } from '../parts/error-line.js';
import { Loader, useLoad } from '../parts/load.js';
import { go, href } from '../router.js';
import { useGuard } from '../store.js';

/** The talk on one thread. @param {{ route: import('../router.js').Route }} props */
export default function Desk({ route }) {
  const library = /** @type {string} */ (route.library);
  const thread = route.rest[0] ?? null;
  const all = useLoad((signal) => threads.list({ library }, signal), [library, thread]);
  const turns = useLoad((signal) => (thread ? threads.turns(thread, signal) : Promise.resolve([])), [thread]);
  return html`<h1>${t('desk.title')}</h1>
    <${Loader} of=${all}>${(/** @type {threads.Thread[]} */ found) => html`<ul>
      ${found.map((one) => html`<li><a href=${href('desk', { library, rest: [one.id] })}>${one.title}</a></li>`)}</ul>`}<//>
    <${Loader} of=${turns}>${(/** @type {threads.Turn[]} */ found) => found.map((one) => html`<article class="stack">
      <h2>${one.question}</h2><p class="book-text">${one.answer}</p></article>`)}<//>
    <${Asking} library=${library} thread=${thread} onDone=${turns.reload} />`;
}

/** @param {{ library: string, thread: string | null, onDone: () => void }} props */
function Asking({ library, thread, onDone }) {
  const guard = useGuard(library);
  const [question, setQuestion] = useState('');
  const [answer, setAnswer] = useState('');
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const control = useRef(/** @type {AbortController | null} */ (null));
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    control.current = new AbortController();
    setAnswer('');
    setError(null);
    try {
      for await (const { name, data } of threads.ask(thread, { question, library }, { guard, signal: control.current.signal })) {
        if (name === 'text') setAnswer((before) => before + (data.text ?? ''));
        if (name === 'answer') go(href('desk', { library, rest: [data.thread_id] }));
      }
      setQuestion('');
      setAnswer('');
      onDone();
    } catch (failure) {
      if (!isAbort(failure)) setError(failure);
    }
  };
  return html`<form class="stack" onSubmit=${submit}>
    ${error && html`<${ErrorLine} error=${error} />`}
    <p class="book-text" aria-live="polite">${answer}</p>
    <label class="field"><span>${t('desk.question')}</span><textarea rows="2" required value=${question}
      onInput=${(/** @type {{ target: HTMLTextAreaElement }} */ event) => setQuestion(event.target.value)}></textarea></label>
    <div class="row end"><button type="submit" class="button primary">${t('desk.ask')}</button></div>
  </form>`;
}
