// @ts-check
import { isLost, returns } from '../api/connection.js';
import { t } from '../i18n/index.js';
import { html, useEffect } from '../lib.js';
import { toast } from '../parts/toast.js';
import { useSignal } from '../signals.js';

/** The banner while the server does not answer, and a word when it does again. */
export function Connection() {
  const away = useSignal(isLost);
  useEffect(() => returns.subscribe(() => toast(t('shell.back'))), []);
  return html`<div class="banner" role="status" hidden=${!away}>${away && t('shell.lost')}</div>`;
}
