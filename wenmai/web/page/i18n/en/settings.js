// @ts-check
/** @type {Record<keyof typeof import('../zh/settings.js').default, import('../index.js').Message>} */
export default {
  title: 'Settings',
  version: 'Version',
  mind: 'Who answers',
  model: 'a language model',
  offline: 'the offline mind',
  signOut: 'Forget the key',
};
