// @ts-check
import { isLost } from '../api/connection.js';
import { errorText, isUnreachable } from '../api/problems.js';
import { t } from '../i18n/index.js';
import { html } from '../lib.js';
import { useSignal } from '../signals.js';

/**
 * Return an error for as long as it holds: that the server cannot be reached is over when it is back.
 * @param {unknown} error
 */
export function useHolding(error) {
  const isAway = useSignal(isLost);
  return isUnreachable(error) && !isAway ? null : error;
}

/**
 * One line that says what is wrong and what to do.
 * @param {{ error: unknown, onRetry?: () => void }} props
 */
export function ErrorLine({ error, onRetry }) {
  return Boolean(useHolding(error)) && html`<p class="error-line" role="alert">
    <span>${errorText(error)}</span>
    ${onRetry && html`<button type="button" class="button quiet" onClick=${onRetry}>${t('parts.retry')}</button>`}
  </p>`;
}
