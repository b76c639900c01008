import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

/** Tests of modules that draw nothing with JSX, and need a page all the same. */
const PAGE = [
  'src/delivery/socket.test.ts',
  'src/lab/documents/stale_documents.test.ts',
  'src/lab/proposal/note_keys.test.ts',
  'src/features/follow/user_input.test.ts',
  'src/features/next_cell/own_session.test.ts',
  'src/lab/output/when_near_viewport.test.ts',
  'src/lab/context/outputs.test.ts',
  'src/lab/page/lazy_views.test.ts',
  'src/lab/panel/focus_request.test.ts',
  'src/lab/rendering/formula.test.ts',
  'src/lab/review/run.test.ts',
  'src/state/store.test.ts',
  'src/views/markdown/**/*.test.ts',
  'src/views/panel/composer/mentions.test.ts',
  'src/views/parts/{frame,mount,odd_characters}.test.ts',
  'src/views/terminal/terminal_screen.test.ts',
  'src/widget/comm.test.ts',
];

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    // Ends what hangs. No test waits for a time that passes, so a busy machine fails none.
    testTimeout: 120_000,
    projects: [
      {
        extends: true,
        resolve: {
          alias: [
            {
              find: /^[.]{1,2}(\/[.]{2})*\/trusted$/,
              replacement: fileURLToPath(new URL('tests/support/trusted.ts', import.meta.url)),
            },
          ],
        },
        test: {
          name: 'page',
          include: ['src/**/*.test.tsx', ...PAGE],
          environment: 'jsdom',
          // A page for each file, without a thread of its own: four times as fast.
          pool: 'vmThreads',
          setupFiles: ['tests/support/page.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['src/**/*.test.ts'],
          exclude: PAGE,
          environment: 'node',
          // No page, so nothing that one file could leave to the next but what it imports.
          pool: 'threads',
          isolate: false,
        },
      },
    ],
  },
});
