// Builds acp_jupyter/static/inbox.js: the script of the inbox's page.
import { stdout } from 'node:process';

import { build } from 'esbuild';

import { styles } from '../../../scripts/styles.mjs';

const built = await build({
  bundle: true,
  format: 'iife',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  logLevel: 'warning',
  pure: ['console.warn', 'console.log'],
  entryPoints: ['src/features/inbox/inbox.entry.ts'],
  outfile: '../acp_jupyter/static/inbox.js',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [styles],
  metafile: true,
});
const [{ bytes }] = Object.values(built.metafile.outputs);
stdout.write(`inbox: ${bytes} bytes\n`);
