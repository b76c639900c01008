import type { Client } from '../../delivery/client';

/** The server pings each connection twice a minute, and drops one that does not answer. */
const SLEPT_MS = 45_000;

/** Connects again when a page is looked at after a while, since a phone that slept is not told. */
export function renewAfterSleep(
  client: Pick<Client, 'reconnect' | 'renew'>,
  page: Pick<Document, 'addEventListener' | 'hidden'>,
  network: Pick<Window, 'addEventListener'>,
  now: () => number = Date.now,
): void {
  let hidden: number | null = page.hidden ? now() : null;
  const look = () => {
    if (page.hidden) {
      hidden ??= now();
      return;
    }
    if (hidden !== null && now() - hidden >= SLEPT_MS) {
      client.renew();
    } else {
      client.reconnect();
    }
    hidden = null;
  };
  page.addEventListener('visibilitychange', look);
  network.addEventListener('online', () => client.renew());
}
