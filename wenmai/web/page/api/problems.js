// @ts-check
/** What went wrong with a request, as one line that says what to do. */
import { t } from '../i18n/index.js';

/** @typedef {{ field: string, message: string }} Fault */

/** A request that was refused, or that reached nobody (status 0). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} detail what the server says, in the page's language; '' without an answer
   * @param {Fault[]} [faults]
   */
  constructor(status, detail, faults = []) {
    super(detail || `status ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.detail = detail;
    this.faults = faults;
  }
}

/**
 * Return the error of problem details.
 * @param {number} status
 * @param {unknown} body
 */
export function errorOf(status, body) {
  const problem = /** @type {{ detail?: unknown, errors?: Fault[] }} */ (Object(body));
  return new ApiError(status, typeof problem.detail === 'string' ? problem.detail : '', problem.errors ?? []);
}

/** @param {unknown} error */
export const isUnreachable = (error) => error instanceof ApiError && error.status === 0;

/** @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === 'AbortError';

/**
 * Return an error as one line in the page's language.
 * @param {unknown} error
 */
export function errorText(error) {
  if (!(error instanceof ApiError)) return t('errors.page', { reason: error instanceof Error ? error.message : String(error) });
  return error.detail || t(generalKey(error.status));
}

/** @param {number} status */
function generalKey(status) {
  if (status === 0) return 'errors.unreachable';
  if (status === 401) return 'errors.key';
  if (status === 403) return 'errors.forbidden';
  if (status === 404) return 'errors.missing';
  if (status === 409) return 'errors.busy';
  if (status === 413) return 'errors.large';
  if (status === 429) return 'errors.often';
  return status < 500 ? 'errors.input' : 'errors.server';
}
