// @ts-check
/** @type {Record<keyof typeof import('../zh/events.js').default, import('../index.js').Message>} */
export default {
  title: 'What happened when',
  empty: 'There are no events yet',
};
