// @ts-check
/** What an import found in a book. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { MoreFound } from '../../parts/more-found.js';
import { href } from '../../router.js';
import { useGuard } from '../../store.js';
import { kindText } from './review-notes.js';

/**
 * @typedef {{ chapters: number, passages: number, written: number, unchanged: number, entities: number, relations: number, events: number,
 *   parts: [string, number][], people: string[], odd: string[], warnings: string[], bad_rows: string[], unread: string[],
 *   left_out: Record<string, number>, spending?: { calls: number }, kept_answers?: number }} Report
 */

/** @param {{ library: string, result: unknown }} props */
export function Summary({ library, result }) {
  const report = /** @type {Report} */ (result);
  const guard = useGuard(library);
  const isUnchanged = report.written === 0 && report.unchanged > 0;
  return html`<div class="stack" role="status">
    <p class="shelf-done"><${Icon} name="check" /><span>${t(isUnchanged ? 'shelf.unchanged' : 'shelf.done')}</span></p>
    <${Figures} figures=${[
      ['shelf.chapters', report.chapters], ['shelf.partsFound', report.parts.length > 1 ? report.parts.length : 0], ['shelf.people', report.entities],
      ['shelf.relations', report.relations], ['shelf.events', report.events],
    ]} />
    ${report.people.length > 0 && guard === null && html`<p><span class="muted">${t('shelf.mainPeople')}</span> ${report.people.map((name, at) => html`${at > 0 && ' '}<a class="chip" href=${href('people', { library, rest: [name] })}>${name}</a>`)}</p>`}
    ${!isByModel(report) && html`<${MoreFound} library=${library} isAdmin />`}
    <${Oddities} report=${report} />
    <div class="row">
      <a class="button primary" href=${href('desk', { library })}>${t('shelf.askNow')}</a>
      <a class="button" href=${href('people', { library })}>${t('shelf.seePeople')}</a>
      <a class="button quiet" href=${href('events', { library })}>${t('shelf.seeEvents')}</a>
    </div>
  </div>`;
}

/** Whether a model has read the book, now or in an earlier run. @param {Report} report */
const isByModel = ({ spending, kept_answers }) => Boolean(spending?.calls || kept_answers);

/** @param {{ figures: [import('../../i18n/index.js').Key, number][] }} props */
const Figures = ({ figures }) => html`<ul class="shelf-figures" role="list">${figures.filter(([, n]) => n > 0).map(([key, n]) => html`<li>${t(key, { n })}</li>`)}</ul>`;

/** @param {{ report: Report }} props */
function Oddities({ report }) {
  const lines = [...report.odd, ...report.warnings, ...report.bad_rows, ...report.unread];
  const kept = Object.entries(report.left_out).map(([kind, n]) => `${kindText(kind)} ${n}`);
  return html`${lines.length > 0 && html`<details class="review-aside"><summary>${t('shelf.oddities', { n: lines.length })}</summary>
      <ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></details>`}
    ${kept.length > 0 && html`<p class="muted small">${t('shelf.keptApart', { kinds: kept.join(' · ') })}</p>`}`;
}
