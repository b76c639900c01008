/**
 * What may import what. `jlpm imports` checks it, type-only imports included.
 *
 * A folder's modules import from their own folder and from those listed for it, nothing else. A
 * folder stands for the modules directly in it, not for those of its subfolders, nor for an
 * `index.ts` that has a row of its own.
 */

/** What every view is made with: translation, what a host gives, the scene that parts draw from. */
const VIEWS = ['wire', 'state', 'views', 'views/parts'];

/** What every feature is made with. */
const FEATURES = ['wire', 'state', 'delivery', 'views', 'views/index.ts', 'features/page'];

const MAY_IMPORT = {
  wire: [],
  colours: [],
  state: ['wire'],
  delivery: ['wire', 'state'],

  views: ['wire', 'state', 'colours'],
  'views/parts': VIEWS,
  'views/markdown': [...VIEWS, 'views/markdown/long'],
  'views/markdown/long': [...VIEWS, 'views/markdown'],
  'views/terminal': VIEWS,
  'views/diff': VIEWS,
  'views/request': [...VIEWS, 'views/diff'],
  'views/tool': [...VIEWS, 'views/markdown', 'views/terminal', 'views/diff', 'views/request'],
  'views/changes': [...VIEWS, 'views/diff'],
  'views/sandbox': VIEWS,
  'views/turn': [
    ...VIEWS,
    ...['markdown', 'request', 'tool', 'changes', 'sandbox'].map(each => `views/${each}`),
  ],
  'views/check': [...VIEWS, 'views/diff'],
  'views/history': [...VIEWS, 'views/diff', 'views/changes', 'views/terminal'],
  'views/review': [...VIEWS, 'views/diff', 'views/changes'],
  'views/panel/agents': VIEWS,
  'views/panel/composer': [...VIEWS, 'views/panel/agents', 'views/sandbox'],
  'views/panel/sessions': [...VIEWS, 'views/panel/agents'],
  'views/share': [...VIEWS, 'views/tool', 'views/turn'],
  'views/traffic': VIEWS,
  'views/variants': VIEWS,
  'views/variants/review': [
    ...VIEWS,
    ...['diff', 'changes', 'review', 'variants'].map(each => `views/${each}`),
  ],
  'views/panel/transcript': [...VIEWS, 'views/turn'],
  'views/panel': [
    ...VIEWS,
    ...['views/request', 'views/sandbox'],
    ...['agents', 'composer', 'sessions', 'transcript'].map(each => `views/panel/${each}`),
  ],
  'views/part': [
    ...VIEWS,
    ...['request', 'tool', 'turn', 'changes', 'markdown', 'sandbox'].map(each => `views/${each}`),
    ...['views/panel', 'views/panel/composer', 'views/panel/transcript'],
  ],
  'views/index.ts': [
    'views',
    ...['turn', 'part', 'panel', 'share', 'traffic'].map(each => `views/${each}`),
  ],

  'features/page': [
    ...FEATURES,
    ...['parts', 'review', 'check', 'history', 'variants', 'variants/review'].map(
      each => `views/${each}`,
    ),
  ],
  'features/check': [...FEATURES, 'views/check'],
  'features/history': [...FEATURES, 'features/rendering', 'views/history'],
  'features/rendering': [...FEATURES, 'colours'],
  'features/status': FEATURES,
  'features/context': FEATURES,
  'features/documents/merge': FEATURES,
  'features/documents': [...FEATURES, 'features/documents/merge'],
  'features/output': [
    ...FEATURES,
    ...['features/rendering', 'features/documents', 'views/variants', 'widget'],
  ],
  'features/review': [
    ...FEATURES,
    ...['features/rendering', 'views/review', 'views/variants/review'],
  ],
  'features/review/cells': [
    ...FEATURES,
    'features/rendering',
    'features/documents/merge',
    'views/parts',
    'views/diff',
    'views/changes',
  ],
  'features/fix': [
    ...FEATURES,
    ...['rendering', 'context', 'panel', 'review/cells', 'documents/merge'].map(
      each => `features/${each}`,
    ),
    ...['parts', 'diff', 'request'].map(each => `views/${each}`),
  ],
  'features/next_cell': [
    ...FEATURES,
    ...['context', 'fix', 'panel', 'review/cells'].map(each => `features/${each}`),
  ],
  'features/follow': [...FEATURES, 'features/panel'],
  'features/panel': [...FEATURES, 'features/rendering', 'features/context', 'views/request'],

  'features/index.ts': [
    ...[
      'check',
      'context',
      'documents',
      'fix',
      'follow',
      'history',
      'next_cell',
      'output',
      'page',
      'panel',
      'rendering',
      'review',
    ],
    ...['review/cells', 'status'],
  ].map(each => `features/${each}`),

  widget: ['wire', 'state', 'colours', 'delivery', 'views/index.ts', 'views/parts'],

  'index.ts': ['features/index.ts'],
};

/** Only these know JupyterLab: the rest also runs in a page without it. */
const JUPYTERLAB = '^src/(features/|index[.]ts)';

/** The extension; the widget and a shared file, each in two parts; the documentation's turns. */
const ENTRIES = '^src/(index|widget/(boot|core|open_shared|shared|saved_turns))[.]ts$';

/** Matches the modules of an entry of the table. */
function pathOf(entry) {
  if (entry.endsWith('.ts')) {
    return `^src/${entry.replace('.', '[.]')}$`;
  }
  return `^src/${entry}/${`${entry}/index.ts` in MAY_IMPORT ? '(?!index[.]ts)' : ''}[^/]+$`;
}

const contracts = Object.entries(MAY_IMPORT).map(([entry, others]) => ({
  name: `contract of ${entry}`,
  comment: `It may import only from: ${[entry, ...others].join(', ')}.`,
  severity: 'error',
  from: { path: pathOf(entry) },
  to: { path: '^src/', pathNot: [entry, ...others].map(pathOf) },
}));

export default {
  forbidden: [
    {
      name: 'no import circle',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    ...contracts,
    {
      name: 'every folder has a contract',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(MAY_IMPORT).map(pathOf) },
      to: {},
    },
    {
      name: 'only features know JupyterLab',
      severity: 'error',
      from: { path: '^src/', pathNot: JUPYTERLAB },
      to: { path: 'node_modules/@(jupyterlab|lumino)/' },
    },
    {
      name: 'nothing is left over',
      comment: 'No entry of the product reaches it.',
      severity: 'error',
      from: { path: ENTRIES },
      to: { path: '^src/', pathNot: ['[.]d[.]ts$', ENTRIES], reachable: false },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.]test[.]tsx?$' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Type-only imports too: modules that need each other's types are read together.
    tsPreCompilationDeps: true,
  },
};
