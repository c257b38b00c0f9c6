// @ts-check
/** Text with markup from a model or a file: sanitised before it becomes elements. Quotes and book text never need it. */
import { html, useEffect, useRef } from '../lib.js';

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

/** @param {string} text @returns {Promise<DocumentFragment>} */
async function fragmentOf(text) {
  const [{ Marked }, { default: purifier }] = await Promise.all([import('../vendor/marked.js'), import('../vendor/dompurify.js')]);
  const made = new Marked({ renderer: { html: htmlAsText } }).parse(text, { async: false });
  const fragment = purifier.sanitize(made, { ...OPTIONS, RETURN_DOM_FRAGMENT: true });
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return fragment;
}

/** Show Markdown; until it is ready, and wherever it fails, the text itself. @param {{ text: string }} props */
export function Markdown({ text }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    let isCurrent = true;
    if (box.current) box.current.textContent = text;
    fragmentOf(text).then(
      (fragment) => isCurrent && box.current?.replaceChildren(fragment),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return html`<div class="markdown" ref=${box}></div>`;
}
