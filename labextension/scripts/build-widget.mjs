// Builds acp_jupyter/static/widget.js: a small module that unpacks the whole widget.
import { createHash } from 'node:crypto';
import { stdout } from 'node:process';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

/** What one widget may cost on the wire, in bytes. */
const LIMIT = 120_000;

const common = {
  bundle: true,
  format: 'esm',
  target: 'es2021',
  minify: true,
  charset: 'utf8',
  logLevel: 'warning',
  write: false,
};

const core = await build({
  ...common,
  entryPoints: ['src/widget/core.ts'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.css': 'text' },
});
const code = core.outputFiles[0].contents;
const packed = gzipSync(code, { level: 9 }).toString('base64');

await build({
  ...common,
  entryPoints: ['src/widget/boot.ts'],
  define: {
    PACKED: JSON.stringify(packed),
    PACKED_HASH: JSON.stringify(createHash('sha256').update(code).digest('hex').slice(0, 16)),
  },
  outfile: '../acp_jupyter/static/widget.js',
  write: true,
});

const size = packed.length;
stdout.write(`widget: ${code.length} bytes, ${size} packed\n`);
if (size > LIMIT) {
  throw new Error(`The packed widget has ${size} bytes; ${LIMIT} are allowed.`);
}
