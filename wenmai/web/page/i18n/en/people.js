// @ts-check
/** @type {Record<keyof typeof import('../zh/people.js').default, import('../index.js').Message>} */
export default {
  title: 'Who is who',
  empty: 'There are no characters yet',
  mentions: { one: '{n} mention', other: '{n} mentions' },
};
