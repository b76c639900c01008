// Builds turns.js, which draws the saved turns in the documentation's pages, into a folder.
import { argv } from 'node:process';

import { build } from 'esbuild';

import { styles } from './styles.mjs';

await build({
  bundle: true,
  format: 'iife',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  logLevel: 'warning',
  entryPoints: { turns: 'src/widget/saved_turns.ts' },
  outdir: argv[2],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [styles],
});
