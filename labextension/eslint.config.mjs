import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/**
 * The layers: wire <- state <- {delivery, views} <- {features, widget}.
 * A folder's files import only from the folders listed for it, and from its own.
 */
const LAYERS = {
  wire: [],
  state: ['wire'],
  delivery: ['wire', 'state'],
  views: ['wire', 'state'],
  features: ['wire', 'state', 'delivery', 'views'],
  widget: ['wire', 'state', 'delivery', 'views'],
};

/** Only these know JupyterLab: the rest also runs in a page without it. */
const JUPYTERLAB = ['features'];

const layerRules = Object.entries(LAYERS).map(([layer, below]) => {
  const above = Object.keys(LAYERS).filter(other => other !== layer && !below.includes(other));
  const patterns = [
    {
      regex: `^(\\.\\./)+(${above.join('|')})(/|$)`,
      message: `${layer}/ may import only from: ${[...below, layer].join(', ')}.`,
    },
  ];
  if (!JUPYTERLAB.includes(layer)) {
    patterns.push({
      regex: '^@(jupyterlab|lumino)/',
      message: `${layer}/ also runs without JupyterLab; only ${JUPYTERLAB.join('/ and ')}/ may import it.`,
    });
  }
  return {
    files: [`src/${layer}/**/*.{ts,tsx}`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
});

export default tseslint.config(
  { ignores: ['lib/', 'node_modules/', 'src/wire/types.ts'] },
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx,mts}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { requireDefaultForNonUnion: true, considerDefaultExhaustiveForUnions: false },
      ],
      // `${count} files` is clear as it is.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Event handlers and short callbacks return what they call.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 300 }],
      'no-console': ['error', { allow: ['warn', 'error'] }],
    },
  },
  {
    // What comes from outside becomes a type here and nowhere else.
    files: ['src/wire/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-assertions': 'off' },
  },
  ...layerRules,
  {
    files: ['**/*.test.{ts,tsx}', 'tests/**'],
    rules: { 'max-lines': 'off' },
  },
  prettier,
);
