// @ts-check
/** @type {Record<keyof typeof import('../zh/find.js').default, import('../index.js').Message>} */
export default {
  title: 'Find',
  words: 'Words, people, events, threads …',
  inBook: 'In “{title}” and in your threads about it; script, punctuation and blanks do not count.',
  inGuarded: 'In what you have read of “{title}” and in your threads about it; script, punctuation and blanks do not count.',
  inTalks: 'In your threads. Open a book to look into its text.',
  text: 'Text',
  people: 'People and places',
  events: 'Events',
  talks: 'Threads',
  more: { one: 'Show more ({n} left)', other: 'Show more ({n} left)' },
  nearest: 'Nearest passages',
  nearestHint: 'These very words are not in the text; these passages come nearest by words or meaning.',
  remembering: 'These very words are not in the text; looking for the nearest passages …',
  noText: 'Not in the text.',
};
