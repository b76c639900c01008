import { expect, test, vi } from 'vitest';

import { PageTransport } from './transport';

test('a page whose policy forbids WebSockets counts as not connected', async () => {
  const transport = new PageTransport({
    openSocket: () => {
      throw new DOMException('not allowed', 'SecurityError');
    },
    get: () => Promise.reject(new Error('no request is made')),
  });
  const closed = vi.fn();
  const channel = transport.connect({ message: vi.fn(), closed });
  channel.send({ type: 'documents', documents: [] });
  expect(closed).not.toHaveBeenCalled();
  await Promise.resolve();
  expect(closed).toHaveBeenCalledOnce();
  channel.close();
  expect(closed).toHaveBeenCalledOnce();
});
