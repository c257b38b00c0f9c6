// @ts-check
/** The verdict in a word; its scores, confidence and reasons behind a click. */
import * as threads from '../../api/threads.js';
import { t } from '../../i18n/index.js';
import { html, useEffect, useId, useRef, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { Loader, useLoad } from '../../parts/load.js';
import { placeOf } from '../people/words.js';
import { isOfBook, verdictOf } from './verdicts.js';

/** @typedef {threads.Turn} Turn */
/** @typedef {{ action: 'dropped' | 'moved' | 'replaced' | 'flagged', reason: Reason, text: string }} Note */
/** @typedef {'unmarked' | 'unsupported' | 'contradicted' | 'quotation' | 'number' | 'name' | 'address' | 'instruction' | 'code' | 'answered'} Reason */
/** @typedef {{ scores: Record<string, number>, score: number, reason: string, fail_reason: string, suggestion: string, unsupported?: string[] }} Grade */

const SCORES = /** @type {const} */ (['tool_usage', 'evidence', 'completeness', 'citation', 'depth']);
const MOST = 20;

/** @param {{ thread: string, turn: Turn }} props */
export function Verdict({ thread, turn }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const found = verdictOf(turn);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (isOpen) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  const word = found && t(`desk.verdict_${found.word}`, { place: turn.as_of ? placeOf(turn.as_of, turn.as_of.part > 1) : '' });
  return html`<div class="desk-verdict">
    ${found && html`<button type="button" class=${`chip desk-verdict-word is-${found.tone}`} aria-expanded=${isOpen} aria-controls=${id}
      aria-label=${t('desk.verdictMore', { word: word ?? '' })} onClick=${() => setOpen(!isOpen)}>${word}<${Icon} name="down" /></button>`}
    ${turn.warning && html`<p class="desk-warning small"><${Icon} name="warning" />${turn.warning}</p>`}
    <div id=${id} ref=${box} class="desk-grade card" hidden=${!isOpen}>${isOpen && html`<${Grades} thread=${thread} turn=${turn} />`}</div>
  </div>`;
}

/** @param {{ thread: string, turn: Turn }} props */
function Grades({ thread, turn }) {
  const grade = /** @type {Grade | null} */ (/** @type {unknown} */ (turn.grade ?? null));
  const percent = typeof turn.confidence === 'number' ? Math.round(turn.confidence * 100) : null;
  const record = useLoad((signal) => (turn.number ? threads.record(thread, turn.number, signal) : Promise.resolve({})), [thread, turn.number]);
  return html`
    ${percent !== null && html`<p><strong>${t(turn.status !== 'not_found' ? 'desk.confidence' : !turn.as_of && isOfBook(turn) ? 'desk.confidenceNone' : 'desk.confidenceNowhere', { n: percent })}</strong></p>`}
    ${grade ? html`<${Scores} grade=${grade} />` : percent === null && html`<p class="muted">${t('desk.noDetails')}</p>`}
    <${Loader} of=${record}>${(/** @type {{ notes?: Note[] }} */ { notes = [] }) => notes.length > 0 && html`<div><h3>${t('desk.checks')}</h3>
      <ul class="desk-notes">${notes.map((one, index) => html`<li key=${index}><strong>${t(`desk.note_${one.action}`)}</strong> <span class="muted">${t(`desk.because_${one.reason}`)}</span>
        <p class=${one.action === 'dropped' ? 'is-dropped' : ''}>${one.text}</p></li>`)}</ul></div>`}<//>`;
}

/** @param {{ grade: Grade }} props */
function Scores({ grade }) {
  const reasons = [
    { label: t('desk.reason'), text: [grade.reason, grade.fail_reason].filter(Boolean).join(' · ') },
    { label: t('desk.suggestion'), text: grade.suggestion },
    { label: t('desk.unsupported'), text: (grade.unsupported ?? []).join('；') },
  ];
  return html`<dl class="desk-scores">${SCORES.map((name) => html`<div key=${name}><dt>${t(`desk.score_${name}`)}</dt>
      <dd><span class="desk-bar"><span class="desk-bar-fill" style=${{ width: `${(grade.scores[name] / MOST) * 100}%` }}></span></span>
        <span class="desk-figure">${t('desk.outOf', { n: grade.scores[name], most: MOST })}</span></dd></div>`)}</dl>
    <p class="muted small">${t('desk.total', { n: grade.score })}</p>
    <dl class="facts">${reasons.filter((one) => one.text).map((one) => html`<div key=${one.label}><dt>${one.label}</dt><dd>${one.text}</dd></div>`)}</dl>`;
}
