// @ts-check
/** How an answer came about: the steps while they happen, one line afterwards, all of it behind a click. */
import * as threads from '../../api/threads.js';
import { duration, t } from '../../i18n/index.js';
import { html, useMemo } from '../../lib.js';
import { plainText } from '../../parts/markdown.js';
import { Pieces } from './pieces.js';

/** @typedef {import('./live.js').Live} Live */
/** @typedef {import('./live.js').Call} Call */

/** The steps so far. @param {{ live: Live }} props */
export function Trail({ live }) {
  const isRunning = live.phase === 'running';
  const isNow = (/** @type {number} */ index) => isRunning && index === live.steps.length - 1;
  return html`<ol class="desk-trail" aria-label=${t('desk.steps')}>
    ${live.steps.length === 0 && isRunning && html`<li class="is-now">${t('desk.waiting')}</li>`}
    ${live.steps.map((one, index) => html`<li key=${index} class=${isNow(index) ? 'is-now' : ''}>
      ${t(one.kind === 'draft' && isNow(index) ? 'desk.drafting' : `desk.step_${one.kind}`)}${one.found > 0 && html` <span class="muted">${t('desk.found', { n: one.found })}</span>`}</li>`)}
  </ol>`;
}

/** Beside the steps: what a model thought, and the drafts that were withdrawn, folded. @param {{ live: Live }} props */
export const Asides = ({ live: { thoughts, withdrawn } }) => html`
  ${thoughts && html`<details class="desk-details"><summary>${t('desk.thoughts')}</summary><p class="desk-thoughts">${plainText(thoughts)}</p></details>`}
  ${withdrawn.map((one, index) => html`<details key=${index} class="desk-details"><summary>${t('desk.withdrawn', { reason: one.reason })}</summary>
    <p class="desk-thoughts"><s>${plainText(one.text)}</s></p></details>`)}`;

/**
 * The one line that is left of the steps, with everything behind it.
 * @param {{ live: Live | null, calls: Call[], thread: string, turn: number | null, guard: import('../../store.js').Guard | null }} props
 */
export function Process({ live, calls, thread, turn, guard }) {
  const load = useMemo(() => once(() => threads.evidence(thread, turn ?? 0)), [thread, turn]);
  if (!live && calls.length === 0) return null;
  return html`<details class="desk-details"><summary>${counted(live, calls)}</summary>
    ${calls.length > 0 && html`<ul class="desk-calls">${calls.map((one) => html`<li key=${one.call}>${t('desk.call', { tool: nameOf(one.tool), query: wordsOf(one.args) })}${' '}
      ${one.ok === false || turn === null || !one.evidence?.length ? html`<span class="muted">${one.ok === false ? t('desk.callFailed') : t('desk.found', { n: one.items })}</span>`
        : html`<${Pieces} call=${one} load=${load} guard=${guard} />`}</li>`)}</ul>`}
    ${live && html`<${Asides} live=${live} />`}
  </details>`;
}

/**
 * Return what loads once: all calls of a turn share its evidence, and an error is no answer.
 * @template T
 * @param {() => Promise<T>} load
 */
export function once(load) {
  /** @type {Promise<T> | null} */
  let kept = null;
  return () => (kept ??= load().catch((error) => {
    kept = null;
    throw error;
  }));
}

/** @param {Live | null} live @param {Call[]} calls */
function counted(live, calls) {
  const parts = [t('desk.howAnswered'), ...(calls.length ? [t('desk.searches', { n: calls.length })] : [])];
  if (live?.withdrawn.length) parts.push(t('desk.rejected', { n: live.withdrawn.length }));
  if (live) parts.push(t('desk.took', { time: duration(Math.max(1, (live.ended - live.began) / 1000)) }));
  return parts.join(' · ');
}

/** The name of a tool for people; one that the page does not know keeps its own. @param {string} tool */
function nameOf(tool) {
  const key = /** @type {import('../../i18n/index.js').Key} */ (`desk.tool_${tool}`);
  return t(key) === key ? tool : t(key);
}

/** @param {Record<string, unknown>} args */
const wordsOf = (args) =>
  Object.values(args).map((one) => (Array.isArray(one) ? one.join('、') : typeof one === 'object' ? JSON.stringify(one) : String(one))).join(' · ');
