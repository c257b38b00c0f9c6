// @ts-check
import { html } from '../lib.js';
import { Loader, useLoad } from './load.js';

/**
 * A component whose module comes when it is first shown.
 * @param {{ load: () => Promise<any> } & Record<string, unknown>} props  the others are the component's
 */
export function Later({ load, ...props }) {
  const found = useLoad(async () => ({ made: await load() }), []);
  return html`<${Loader} of=${found}>${(/** @type {{ made: any }} */ { made }) => html`<${made} ...${props} />`}<//>`;
}
