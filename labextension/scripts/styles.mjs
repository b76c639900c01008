import { readFile } from 'node:fs/promises';

import { transform } from 'esbuild';

/** An esbuild plugin: style sheets as short texts. */
export const styles = {
  name: 'styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const { code } = await transform(source, { loader: 'css', minify: true, charset: 'utf8' });
      return { contents: code, loader: 'text' };
    });
  },
};
