import { expect, test, vi } from 'vitest';

import { renewAfterSleep } from './sleep';

class FakePage extends EventTarget {
  hidden = false;

  become(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

function watch() {
  let time = 0;
  const page = new FakePage();
  const network = new EventTarget();
  const client = { reconnect: vi.fn(), renew: vi.fn() };
  renewAfterSleep(client, page, network, () => time);
  const hideFor = (milliseconds: number) => {
    page.become(true);
    time += milliseconds;
    page.become(false);
  };
  return { client, hideFor, network };
}

test('a page that slept replaces its connection, which may be dead', () => {
  const { client, hideFor } = watch();
  hideFor(60_000);
  expect(client.renew).toHaveBeenCalledOnce();
  expect(client.reconnect).not.toHaveBeenCalled();
});

test('a page that was hidden for a moment only connects if it has lost its connection', () => {
  const { client, hideFor } = watch();
  hideFor(60_000);
  hideFor(1_000);
  expect(client.renew).toHaveBeenCalledOnce();
  expect(client.reconnect).toHaveBeenCalledOnce();
});

test('a network that is back has a new connection', () => {
  const { client, network } = watch();
  network.dispatchEvent(new Event('online'));
  expect(client.renew).toHaveBeenCalledOnce();
});
