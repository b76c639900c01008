// Builds acp_jupyter/static/shared.html: the page of a shared turn, without the turn.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { stdout } from 'node:process';

import { build, transform } from 'esbuild';

import { pack } from '../../../scripts/pack.mjs';
import { styles } from '../../../scripts/styles.mjs';

/** What the page may have, in bytes, so that a turn fits into 300 kB with it. */
const LIMIT = 185_000;

const view = await script('src/features/share/view.entry.ts');
const boot = await script('src/features/share/boot.entry.ts');
const packed = await pack(Buffer.from(view));
const { code: look } = await transform(await readFile('src/features/share/page.css', 'utf8'), {
  loader: 'css',
  minify: true,
  charset: 'utf8',
});

const policy = [
  "default-src 'none'",
  `script-src ${hash(boot)} ${hash(view)}`,
  `style-src ${hash(look)}`,
  'img-src data:',
  'media-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// What stands in double braces is put in by acp_jupyter/features/share/shared_page.py.
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{{title}}</title>
<style>${look}</style>
</head>
<body>
<header>
<h1>{{title}}</h1>
<p>{{facts}}</p>
</header>
<main>
<p>Your browser does not run what draws this page, so this is its text, in short.</p>
<pre>{{words}}</pre>
</main>
<script type="application/json" id="acp-turns">{{turns}}</script>
<script type="text/plain" id="acp-view" data-bytes="${packed.bytes}">${packed.text}</script>
<script>${boot}</script>
</body>
</html>
`;

const size = Buffer.byteLength(page);
await writeFile('../acp_jupyter/static/shared.html', page);
stdout.write(`shared page: ${view.length} characters, ${size} as a page\n`);
if (size > LIMIT) {
  throw new Error(`The page of a shared turn has ${size} bytes; ${LIMIT} are allowed.`);
}

async function script(entry) {
  const built = await build({
    bundle: true,
    format: 'iife',
    // What can unpack it (DecompressionStream) knows this too.
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    logLevel: 'warning',
    pure: ['console.warn', 'console.log'],
    write: false,
    entryPoints: [entry],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [styles],
  });
  return built.outputFiles[0].text;
}

/** As a policy names a script or a style sheet that stands in the page. */
function hash(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
