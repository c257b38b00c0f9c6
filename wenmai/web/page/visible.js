// @ts-check
/** Characters that nobody sees and that still do something: controls, and what turns the direction of a text round. */

// eslint-disable-next-line no-control-regex -- they are what is sought
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g;
const PICTURES = 0x2400; // the picture of a control is as far from here as the control from 0
const [DELETE, PICTURE_OF_DELETE, OTHER] = [0x7f, '\u2421', '\ufffd'];

/** @param {string} one */
function pictureOf(one) {
  const code = one.charCodeAt(0);
  if (code === DELETE) return PICTURE_OF_DELETE;
  return code < DELETE ? String.fromCharCode(PICTURES + code) : OTHER;
}

/**
 * Return a text with a sign for each of these characters. It is as long as before, so that offsets hold.
 * @param {string} text
 */
export const visible = (text) => text.replace(UNSEEN, pictureOf);
