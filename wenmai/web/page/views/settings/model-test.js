// @ts-check
import * as server from '../../api/server.js';
import { t } from '../../i18n/index.js';
import { html, useState } from '../../lib.js';
import { ErrorLine } from '../../parts/error-line.js';
import { Progress } from '../../parts/progress.js';

/** @typedef {import('../../api/http.js').Schemas['ModelTest']} Result */

/** Asks the model service, when it is asked to; or one that is only typed. @param {{ typed?: server.NewModel, onAsk?: () => void }} props */
export function ModelTest({ typed, onAsk }) {
  const [state, setState] = useState({ isBusy: false, result: /** @type {Result | null} */ (null), error: /** @type {unknown} */ (null) });
  const ask = async () => {
    onAsk?.();
    setState({ isBusy: true, result: null, error: null });
    try {
      setState({ isBusy: false, result: await server.testModel(typed), error: null });
    } catch (error) {
      setState({ isBusy: false, result: null, error });
    }
  };
  const { isBusy, result, error } = state;
  return html`<div class="stack">
    <div class="row"><button type="button" class="button" disabled=${isBusy} onClick=${ask}>${t('settings.test')}</button><span class="muted small">${t('settings.testHint')}</span></div>
    ${isBusy && html`<${Progress} label=${t('settings.testing')} />`}
    ${error && html`<${ErrorLine} error=${error} />`}
    ${result && html`<div role="status"><p class=${result.ok ? 'settings-good' : 'danger-text'}>${t(result.ok ? 'settings.works' : 'settings.fails')}</p><p class="small">${result.text}</p></div>`}
  </div>`;
}
