import js from '@eslint/js';
import globals from 'globals';

const MOST_LINES = 200;

export default [
  { ignores: ['**/vendor/**', '**/node_modules/**', '**/types/**'] },
  js.configs.recommended,
  {
    files: ['**/*.js'],
    languageOptions: { ecmaVersion: 2023, sourceType: 'module', globals: { ...globals.browser } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', MOST_LINES],
      'max-lines-per-function': ['error', 60],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-console': 'error',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'dangerouslySetInnerHTML'].map((property) => ({
          property,
          message: 'Text of books and models is a text node; parts/markdown.js is the one place for markup.',
        })),
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'Property[key.name="dangerouslySetInnerHTML"]', message: 'Use a text node or parts/markdown.js.' },
        { selector: 'TemplateElement[value.raw=/dangerouslySetInnerHTML|\\sstyle="/]', message: 'The CSP has no inline style.' },
      ],
    },
  },
  { files: ['tests/**', '*.test.js', '*.js', 'unit/**'], languageOptions: { globals: { ...globals.node } } },
];
