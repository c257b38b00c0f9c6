// @ts-check
/** What is remembered of the user: looked through, sought, added, changed, forgotten, saved. */
import * as memories from '../api/memories.js';
import { t } from '../i18n/index.js';
import { html, useState } from '../lib.js';
import { Empty } from '../parts/empty.js';
import { ErrorLine } from '../parts/error-line.js';
import { Icon } from '../parts/icon.js';
import { Loader, useLoad } from '../parts/load.js';
import { save } from '../parts/save.js';
import { VirtualList } from '../parts/virtual-list.js';
import { Editor } from './memories/editor.js';
import { useForget } from './memories/forget.js';
import { ROW, Row } from './memories/row.js';
import { holding } from './memories/texts.js';

/** @typedef {memories.Memory} Memory */

const MOST_FOUND = 10; // of a search by meaning

export default function Memories() {
  const all = useLoad((signal) => memories.list({}, signal), []);
  const [sought, setSought] = useState('');
  const [edited, setEdited] = useState(/** @type {Memory | 'new' | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const forgetting = useForget(all.reload, setError);
  const download = async () => {
    try {
      save(await memories.exported(), 'memories.jsonl');
    } catch (failure) {
      setError(failure);
    }
  };
  const saved = () => {
    setEdited(null);
    all.reload();
  };
  return html`<header class="memories-head row"><h1>${t('memories.title')}</h1><div class="row">
      <button type="button" class="button" onClick=${download} disabled=${!all.data?.length}><${Icon} name="download" />${t('memories.export')}</button>
      <button type="button" class="button primary" onClick=${() => setEdited('new')}><${Icon} name="plus" />${t('memories.add')}</button></div></header>
    ${error && html`<${ErrorLine} error=${error} />`}
    <${Loader} of=${all}>${(/** @type {Memory[]} */ found) => found.length === 0 ? html`<${Empty} title=${t('memories.empty')} hint=${t('memories.emptyHint')} />`
      : html`<div class="stack"><${Search} sought=${sought} onSearch=${setSought} />
        <${Found} all=${found} sought=${sought} onEdit=${setEdited} onForget=${forgetting.ask} /></div>`}<//>
    ${forgetting.dialog}
    ${edited && html`<${Editor} memory=${edited === 'new' ? null : edited} onSaved=${saved} onClose=${() => setEdited(null)} />`}`;
}

/** @param {{ sought: string, onSearch: (words: string) => void }} props */
function Search({ sought, onSearch }) {
  const [words, setWords] = useState(sought);
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    onSearch(words.trim());
  };
  return html`<form class="row memories-search" role="search" onSubmit=${submit}>
    <input type="search" aria-label=${t('memories.search')} placeholder=${t('memories.search')} value=${words}
      onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => (setWords(target.value), target.value === '' && onSearch(''))} />
    <button type="submit" class="button"><${Icon} name="search" />${t('memories.find')}</button>
  </form>`;
}

/** @param {{ all: Memory[], sought: string, onEdit: (memory: Memory) => void, onForget: (memory: Memory) => void }} props */
function Found({ all, sought, onEdit, onForget }) {
  const near = useLoad((signal) => (sought ? memories.search({ q: sought, mode: 'hybrid', limit: MOST_FOUND }, signal) : Promise.resolve({ total: 0, items: [] })), [sought, all]);
  const literal = sought ? holding(all, sought) : all;
  const known = new Set(literal.map((one) => one.key));
  const shown = [...literal, ...(near.data?.items ?? []).map((one) => one.memory).filter((one) => !known.has(one.key))];
  if (shown.length === 0 && !near.isLoading) return html`<${Empty} title=${t('memories.noneFound')} />`;
  return html`<p class="muted small" role="status">${t('memories.count', { n: shown.length })}</p>
    <div class="memories-list" style=${{ '--memories-height': `${shown.length * ROW + 2}px` }}>
      <${VirtualList} items=${shown} rowHeight=${ROW} label=${t('memories.title')} keyOf=${(/** @type {Memory} */ one) => one.key}
        row=${(/** @type {Memory} */ one) => html`<${Row} memory=${one} onEdit=${() => onEdit(one)} onForget=${() => onForget(one)} />`} /></div>`;
}
