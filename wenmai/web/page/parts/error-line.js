// @ts-check
import { errorText } from '../api/problems.js';
import { t } from '../i18n/index.js';
import { html } from '../lib.js';

/**
 * One line that says what is wrong and what to do.
 * @param {{ error: unknown, onRetry?: () => void }} props
 */
export function ErrorLine({ error, onRetry }) {
  return html`<p class="error-line" role="alert">
    <span>${errorText(error)}</span>
    ${onRetry && html`<button type="button" class="button quiet" onClick=${onRetry}>${t('parts.retry')}</button>`}
  </p>`;
}
