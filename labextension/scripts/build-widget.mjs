// Builds acp_jupyter/static: widget_code.txt, the packed widget, and widget.js, which unpacks it.
import { createHash } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { stdout } from 'node:process';

import { build } from 'esbuild';

import { pack } from './pack.mjs';
import { styles } from './styles.mjs';

/** What the widget may have, zipped, in bytes. */
const LIMIT = 127_000;
/** What each widget adds to a notebook, in bytes: widget.js, as its state has it. */
const LOADER_LIMIT = 5_000;
const STATIC = '../acp_jupyter/static';

const common = {
  bundle: true,
  format: 'esm',
  // What can unpack it (DecompressionStream) knows this too; Chrome does from 94 on.
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  logLevel: 'warning',
  // Warnings of libraries; what fails here is written by console.error.
  pure: ['console.warn', 'console.log'],
  write: false,
};

const core = await build({
  ...common,
  entryPoints: ['src/widget/core.ts'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [styles],
});
const code = core.outputFiles[0].contents;
const packed = await pack(code);

await build({
  ...common,
  entryPoints: ['src/widget/boot.ts'],
  define: {
    PACKED_BYTES: String(packed.bytes),
    PACKED_HASH: JSON.stringify(createHash('sha256').update(code).digest('hex').slice(0, 16)),
  },
  outfile: `${STATIC}/widget.js`,
  write: true,
});
await writeFile(`${STATIC}/widget_code.txt`, packed.text);

const size = packed.bytes;
stdout.write(`widget: ${code.length} bytes, ${size} zipped, ${packed.text.length} as text\n`);
if (size > LIMIT) {
  throw new Error(`The zipped widget has ${size} bytes; ${LIMIT} are allowed.`);
}
const loader = (await stat(`${STATIC}/widget.js`)).size;
if (loader > LOADER_LIMIT) {
  throw new Error(`widget.js has ${loader} bytes; ${LOADER_LIMIT} are allowed.`);
}
