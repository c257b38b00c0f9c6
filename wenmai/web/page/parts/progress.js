// @ts-check
import { duration, t } from '../i18n/index.js';
import { html } from '../lib.js';

/**
 * A bar with its label and the time that is left; without `value` it only says that something runs.
 * @param {{ label: string, value?: number, max?: number, remaining?: number | null }} props  remaining in seconds
 */
export function Progress({ label, value, max = 1, remaining = null }) {
  const share = value === undefined || max <= 0 ? null : Math.min(1, value / max);
  return html`<div class="progress">
    <span class="progress-label">${label}</span>
    <progress aria-label=${label} max=${1} ...${share === null ? {} : { value: share }}></progress>
    <span class="progress-figures muted">
      ${share !== null && t('parts.percent', { n: Math.round(share * 100) })}
      ${remaining !== null && ` · ${t('parts.remaining', { time: duration(remaining) })}`}
    </span>
  </div>`;
}

/** The place of something that is being loaded; it shows only after a moment. */
export function Loading() {
  return html`<p class="loading muted" role="status">${t('parts.loading')}</p>`;
}
