// @ts-check
/** @type {Record<keyof typeof import('../zh/errors.js').default, import('../index.js').Message>} */
export default {
  page: 'The page failed: {reason}. Load it anew.',
  unreachable: 'The server cannot be reached: see that wenmai serve runs; the page reconnects by itself.',
  key: 'A valid API key is needed.',
  forbidden: 'Your key may not do this: ask the administrator.',
  missing: 'Not found: it was deleted, or lies behind the spoiler guard.',
  busy: 'In use at the moment: try again later.',
  large: 'The file or request is too large.',
  often: 'Too many requests: wait a little.',
  input: 'Something in the input is wrong: change it and try again.',
  server: 'The server cannot answer now: try again later.',
};
