// @ts-check
/** @type {Record<keyof typeof import('../zh/shelf.js').default, import('../index.js').Message>} */
export default {
  title: 'Shelf',
  empty: 'The shelf is empty',
  emptyHint: 'Put the first book on it with wenmai ingest.',
  chapters: { one: '{n} chapter', other: '{n} chapters' },
  open: 'Open',
};
