import type { SessionStore } from '../../state/store';

/** Longest wait for a session's snapshot. */
const SNAPSHOT_MS = 3_000;

/** Resolves once a session's state has come, or the time is over. */
export async function hasSnapshot(store: SessionStore): Promise<void> {
  if (store.view.seq !== null) {
    return;
  }
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, SNAPSHOT_MS);
    const stop = store.subscribe(() => {
      if (store.view.seq !== null) {
        done();
      }
    });
    function done() {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });
}
