import { ServerConnection } from '@jupyterlab/services';
import { afterEach, expect, it, vi } from 'vitest';

import { until } from '../../../tests/support/wait';
import { checkLines } from './check_lines';

afterEach(() => vi.restoreAllMocks());

/** Has a server send some lines and keep the request open; returns a mock that its end calls. */
function telling(lines: string) {
  const cancelled = vi.fn();
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(new TextEncoder().encode(lines)),
    cancel: cancelled,
  });
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://localhost/',
    fetch: () => Promise.resolve(new Response(body)),
  });
  const checked = { path: 'a.ipynb', kernelName: 'python3', notebook: {} };
  return { cancelled, lines: checkLines(settings, checked, new AbortController().signal) };
}

it('ends the request where a line is no JSON', async () => {
  const { cancelled, lines } = telling('{"type":"started"}\nno\n');
  expect((await lines.next()).value).toEqual({ type: 'started', cells: 0 });
  await expect(lines.next()).rejects.toThrow();
  await until(() => expect(cancelled).toHaveBeenCalledOnce());
});

it('ends with the outcome, whatever the server still has to do', async () => {
  const { cancelled, lines } = telling('{"type":"started"}\n{"type":"ended"}\n');
  expect((await lines.next()).value).toMatchObject({ type: 'started' });
  expect((await lines.next()).value).toMatchObject({ type: 'ended' });
  expect((await lines.next()).done).toBe(true);
  expect(cancelled).toHaveBeenCalledOnce();
});
