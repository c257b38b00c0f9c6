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

const FENCED = /(^ {0,3}```[\s\S]*?(?:^ {0,3}```|$(?![\s\S])))/m;
const JOINED_HEADING = /^( {0,3}#{2,6})(?=[^#\s])/gm; // as models write it in Chinese
const STRONG = /^\*\*(?=[^\s*])((?:[^*\n]|\*(?!\*))*[^\s*])\*\*(?!\*)/; // also between a quotation mark and a character, where CommonMark sees none
const RULE = /^[ \t]*(?:```.*|(?:[-*_][ \t]*){3,}|\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?)[ \t]*(?:\n|$)/gm;
const ROW = /^[ \t]*\|(.*?)\|?[ \t]*$/gm;

/** Text with headings that a parser takes for such; code stays. @param {string} text */
const mended = (text) => text.split(FENCED).map((one, at) => (at % 2 ? one : one.replace(JOINED_HEADING, '$1 '))).join('');

/** The words of a text without its markup. @param {string} text */
export const plainText = (text) =>
  text.replace(RULE, '').replace(/^ {0,3}#{1,6}(?:[ \t]+|(?<=##)(?=[^#\s]))/gm, '').replace(/\*\*/g, '').replace(ROW, (_, cells) => cells.split('|').map((/** @type {string} */ one) => one.trim()).join(' · '));

/** @typedef {(text: string) => DocumentFragment} Maker */
/** What makes elements of text, once its libraries are there. @type {Maker | null} */
let ready = null;

/** @this {any} @param {string} src @returns {any}  false where the library's own rule decides */
function strong(src) {
  const match = STRONG.exec(src);
  return match ? { type: 'strong', raw: match[0], text: match[1], tokens: this.lexer.inlineTokens(match[1]) } : false;
}

/** @returns {Promise<Maker>} */
async function maker() {
  const [{ Marked }, { default: purifier }] = await Promise.all([import('../vendor/marked.js'), import('../vendor/dompurify.js')]);
  const marked = new Marked({ renderer: { html: htmlAsText }, breaks: true, tokenizer: { emStrong: strong } });
  ready = (text) => {
    const fragment = purifier.sanitize(marked.parse(mended(text), { async: false }), { ...OPTIONS, RETURN_DOM_FRAGMENT: true });
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
        if (box.current) box.current.textContent = plainText(text);
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
