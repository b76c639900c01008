/**
 * What may import what. `jlpm imports` checks it, type-only imports included.
 *
 * A folder's modules import from their own folder and from those listed for it, nothing else. A
 * folder stands for the modules directly in it, not for those of its subfolders, nor for an
 * `index.ts` that has a row of its own. A feature has no row: it may import every module but those
 * of other features.
 */

/** What every view is made with: translation, what a host gives, the scene that parts draw from. */
const VIEWS = ['wire', 'state', 'views', 'views/parts'];

/** What everything in JupyterLab is made with. */
const LAB = ['wire', 'state', 'delivery', 'views', 'views/index.ts', 'lab/page'];

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
  'views/review': [...VIEWS, 'views/diff', 'views/changes'],
  'views/panel/agents': VIEWS,
  'views/panel/composer': [...VIEWS, 'views/panel/agents', 'views/sandbox'],
  'views/panel/sessions': [...VIEWS, 'views/panel/agents'],
  'views/panel/transcript': [...VIEWS, 'views/turn'],
  'views/panel': [
    ...VIEWS,
    ...['views/request', 'views/sandbox'],
    ...['agents', 'composer', 'sessions', 'transcript'].map(each => `views/panel/${each}`),
  ],
  'views/widget_parts': [
    ...VIEWS,
    ...['request', 'tool', 'turn', 'changes', 'markdown', 'sandbox'].map(each => `views/${each}`),
    ...['views/panel', 'views/panel/composer', 'views/panel/transcript'],
  ],
  'views/index.ts': ['views', ...['turn', 'widget_parts', 'panel'].map(each => `views/${each}`)],

  'lab/page': [...LAB, 'views/parts', 'views/review'],
  'lab/rendering': [...LAB, 'colours'],
  'lab/status': LAB,
  'lab/context': LAB,
  'lab/documents/merge': LAB,
  'lab/documents': [...LAB, 'lab/documents/merge'],
  'lab/output': [...LAB, 'lab/rendering', 'lab/documents', 'widget'],
  'lab/review': [...LAB, 'lab/rendering', 'views/review'],
  'lab/review/cells': [
    ...LAB,
    ...['rendering', 'documents/merge'].map(each => `lab/${each}`),
    ...['parts', 'diff', 'changes'].map(each => `views/${each}`),
  ],
  'lab/panel': [...LAB, 'lab/rendering', 'lab/context', 'views/request'],
  'lab/proposal': [
    ...LAB,
    'lab/panel',
    ...['parts', 'diff', 'request'].map(each => `views/${each}`),
  ],
  'lab/index.ts': [
    ...['context', 'documents', 'output', 'page', 'panel', 'rendering', 'review', 'status'],
    'review/cells',
  ].map(each => `lab/${each}`),

  widget: ['wire', 'state', 'colours', 'delivery', 'views', 'views/index.ts', 'views/parts'],

  'features/index.ts': ['features/*'],

  'index.ts': ['lab/index.ts', 'features/index.ts'],
};

/** Only these know JupyterLab: the rest also runs in a page without it. */
const JUPYTERLAB = '^src/(lab/|features/|index[.]ts)';

/** The extension; the widget, in two parts; the documentation's turns; a feature's own pages. */
const ENTRIES =
  '^src/(index|widget/(boot|core|saved_turns)|features/[^/]+/[^/]+[.]entry)[.]ts$|/build[.]mjs$';

/** Matches the modules of an entry of the table. */
function pathOf(entry) {
  if (entry.endsWith('.ts')) {
    return `^src/${entry.replace('.', '[.]')}$`;
  }
  return `^src/${entry.replace('*', '[^/]+')}/${`${entry}/index.ts` in MAY_IMPORT ? '(?!index[.]ts)' : ''}[^/]+$`;
}

/** A feature may import the core, which imports none: `features/index.ts` lists them. */
const FEATURES = '^src/features/[^/]+/';

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
      name: 'a feature imports no other feature',
      comment: 'What two features need is core.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: FEATURES, pathNot: '^src/features/$1/' },
    },
    {
      name: 'every folder has a contract',
      severity: 'error',
      from: { path: '^src/', pathNot: [FEATURES, ...Object.keys(MAY_IMPORT).map(pathOf)] },
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
