// @ts-check
/** @type {Record<keyof typeof import('../zh/memories.js').default, import('../index.js').Message>} */
export default {
  title: 'Memories',
  empty: 'Nothing is remembered yet',
};
