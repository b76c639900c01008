// Builds acp_jupyter/static/widget.js: a small module that unpacks the whole widget.
import { createHash } from 'node:crypto';
import { stdout } from 'node:process';

import { build } from 'esbuild';

import { pack } from './pack.mjs';
import { styles } from './styles.mjs';

/** What the widget may have, zipped, in bytes. */
const LIMIT = 127_000;

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
    PACKED: JSON.stringify(packed.text),
    PACKED_BYTES: String(packed.bytes),
    PACKED_HASH: JSON.stringify(createHash('sha256').update(code).digest('hex').slice(0, 16)),
  },
  outfile: '../acp_jupyter/static/widget.js',
  write: true,
});

const size = packed.bytes;
stdout.write(`widget: ${code.length} bytes, ${size} zipped, ${packed.text.length} as text\n`);
if (size > LIMIT) {
  throw new Error(`The zipped widget has ${size} bytes; ${LIMIT} are allowed.`);
}
