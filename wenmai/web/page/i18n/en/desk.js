// @ts-check
/** @type {Record<keyof typeof import('../zh/desk.js').default, import('../index.js').Message>} */
export default {
  title: 'Desk',
  threads: 'Threads',
  question: 'Your question',
  ask: 'Ask',
  stop: 'Stop',
  newThread: 'New thread',
  empty: 'Ask this book something',
};
