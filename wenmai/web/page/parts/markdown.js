// @ts-check
/** Text with markup from a model or a file: sanitised before it becomes elements. Quotes and book text never need it. */
import { html, useLayoutEffect, useRef } from '../lib.js';
import { visible } from '../visible.js';

const TAGS = ['p', 'br', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'hr',
  'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'];
const OPTIONS = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ['href', 'start'],
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const ESCAPES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });
/** HTML in Markdown is shown as the text that it is. @param {{ text: string }} token */
const htmlAsText = ({ text }) => text.replace(/[&<>"]/g, (one) => ESCAPES[one]);

/** @typedef {(text: string) => DocumentFragment} Maker */
/** What makes elements of text, once its libraries are there. @type {Maker | null} */
let ready = null;

/** @returns {Promise<Maker>} */
async function maker() {
  const [{ Marked }, { default: purifier }] = await Promise.all([import('../vendor/marked.js'), import('../vendor/dompurify.js')]);
  const marked = new Marked({ renderer: { html: htmlAsText }, breaks: true });
  ready = (text) => {
    const fragment = purifier.sanitize(marked.parse(text, { async: false }), { ...OPTIONS, RETURN_DOM_FRAGMENT: true });
    for (const link of fragment.querySelectorAll('a')) {
      link.target = '_blank';
      link.rel = 'noopener noreferrer';
    }
    return fragment;
  };
  return ready;
}

/**
 * Show Markdown; until it is ready, and wherever it fails, the text itself.
 * @param {{ text: string, decorate?: (fragment: DocumentFragment) => void }} props  decorate: changes what is sanitised already
 */
export function Markdown({ text: given, decorate }) {
  const text = visible(given);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    let isCurrent = true;
    /** @param {Maker} make */
    const show = (make) => {
      const fragment = make(text);
      decorate?.(fragment);
      if (isCurrent) box.current?.replaceChildren(fragment);
    };
    try {
      if (ready) show(ready);
      else {
        if (box.current) box.current.textContent = text;
        maker().then(show, () => undefined);
      }
    } catch {
      if (box.current) box.current.textContent = text;
    }
    return () => {
      isCurrent = false;
    };
  }, [text, decorate]);
  return html`<div class="markdown" ref=${box}></div>`;
}
