// Builds acp_jupyter/static/widget.js: a small module that unpacks the whole widget.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stdout } from 'node:process';

import { gzipAsync } from '@gfx/zopfli';
import { build } from 'esbuild';

import { styles } from './styles.mjs';

/** What the widget may have, zipped, in bytes. */
const LIMIT = 120_000;

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
// Takes two seconds for a twenty-fifth less than zlib.
const zipped = await gzipAsync(code, { numiterations: 5 });
const packed = pack85(zipped, await letters());

await build({
  ...common,
  entryPoints: ['src/widget/boot.ts'],
  define: {
    PACKED: JSON.stringify(packed),
    PACKED_BYTES: String(zipped.length),
    PACKED_HASH: JSON.stringify(createHash('sha256').update(code).digest('hex').slice(0, 16)),
  },
  outfile: '../acp_jupyter/static/widget.js',
  write: true,
});

const size = zipped.length;
stdout.write(`widget: ${code.length} bytes, ${size} zipped, ${packed.length} as text\n`);
if (size > LIMIT) {
  throw new Error(`The zipped widget has ${size} bytes; ${LIMIT} are allowed.`);
}

/** As `src/widget/base85.ts` reads it. */
async function letters() {
  const source = await readFile('src/widget/base85.ts', 'utf8');
  return /'([^']{85})'/.exec(source)[1];
}

function pack85(bytes, alphabet) {
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  let text = '';
  for (let place = 0; place < padded.length; place += 4) {
    let value = padded.readUInt32BE(place);
    let group = '';
    for (let index = 0; index < 5; index += 1) {
      group = alphabet[value % 85] + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
