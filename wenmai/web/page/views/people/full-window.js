// @ts-check
import { t } from '../../i18n/index.js';
import { html, useEffect, useState } from '../../lib.js';
import { Icon } from '../../parts/icon.js';
import { isEscape } from '../../parts/leaving.js';

/** A switch that gives a view the whole window; Escape and another view end it. @param {{ onChange: () => void }} props */
export function FullWindow({ onChange }) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    if (!isFull) return undefined;
    document.documentElement.dataset.full = '';
    /** @param {KeyboardEvent} event */
    const onKeyDown = (event) => isEscape(event) && setFull(false);
    addEventListener('keydown', onKeyDown);
    return () => {
      delete document.documentElement.dataset.full;
      removeEventListener('keydown', onKeyDown);
    };
  }, [isFull]);
  useEffect(onChange, [isFull]);
  const label = t(isFull ? 'people.notFull' : 'people.full');
  return html`<button type="button" class="icon-button" aria-label=${label} title=${label} aria-pressed=${isFull} onClick=${() => setFull(!isFull)}>
    <${Icon} name=${isFull ? 'shrink' : 'full'} /></button>`;
}
