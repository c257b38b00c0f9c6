// @ts-check
/** Whose lanes are drawn, and which kinds; the chips of the kinds are the legend as well. */
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { PersonSearch } from '../people/person-search.js';
import { classOf, formOf, KINDS, kindText } from './kinds.js';

/**
 * @param {{ all: readonly import('./lanes.js').Happening[], ranked: readonly string[], people: readonly string[], isChosen: boolean, off: ReadonlySet<string>,
 *   onOff: (off: ReadonlySet<string>) => void, onPeople: (names: string[]) => void }} props
 */
export function Choosing({ all, ranked, people, isChosen, off, onOff, onPeople }) {
  const kinds = KINDS.filter((kind) => all.some((one) => one.kind === kind));
  const named = ranked.map((name) => ({ name }));
  /** @param {string} kind */
  const toggle = (kind) => {
    const next = new Set(off);
    if (!next.delete(kind)) next.add(kind);
    onOff(next);
  };
  return html`<div class="people-filters">
    <div class="row">
      <${PersonSearch} label=${t('events.addPerson')} people=${named} onPick=${(/** @type {string} */ name) => onPeople([...new Set([...(isChosen ? people : []), name])])} />
      ${isChosen ? html`${people.map((name) => html`<button type="button" class="chip is-on" key=${name} aria-label=${t('events.without', { name })}
          onClick=${() => onPeople(people.filter((one) => one !== name))}>${name} <span aria-hidden="true">×</span></button>`)}
        <button type="button" class="button quiet" onClick=${() => onPeople([])}>${t('events.busiest')}</button>`
        : html`<span class="muted small">${t('events.busiestShown', { n: people.length })}</span>`}
    </div>
    <div class="people-chips" role="group" aria-label=${t('events.kinds')}>${kinds.map((kind) => html`<button type="button" class="chip people-chip" key=${kind} aria-pressed=${!off.has(kind)} onClick=${() => toggle(kind)}>
      <svg class=${classOf(kind)} viewBox="-8 -8 16 16" width="14" height="14" aria-hidden="true"><path d=${formOf(kind)} /></svg>${kindText(kind)}</button>`)}</div>
  </div>`;
}
