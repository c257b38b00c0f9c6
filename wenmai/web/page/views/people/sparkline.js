// @ts-check
import { html } from '../../lib.js';
import { bars } from './counts.js';

/** Counts over the chapters; with a label it is a picture of its own. @param {{ values: readonly number[], width?: number, height?: number, label?: string }} props */
export function Sparkline({ values, width = 120, height = 24, label }) {
  const stroke = Math.max(1, Math.min(6, (width / Math.max(1, values.length)) * 0.7));
  const spoken = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' };
  return html`<svg class="people-spark" viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" focusable="false" ...${spoken}>
    <path class="people-spark-line" d=${`M0 ${height - 0.5}H${width}`} /><path d=${bars(values, width, height - 1)} stroke-width=${stroke} /></svg>`;
}
