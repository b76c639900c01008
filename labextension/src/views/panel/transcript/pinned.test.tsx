import { fireEvent } from '@testing-library/preact';
import { describe, expect, it } from 'vitest';

import { message, SESSION } from '../../../../tests/support/build';
import { added, snapshot } from '../../../../tests/support/events';
import { IDLE, showPanel } from '../../../../tests/support/panel';
import type { ShownPanel } from '../../../../tests/support/panel';
import { SessionStore } from '../../../state/store';

interface Layout {
  scrollHeight: number;
  clientHeight: number;
  scrollTop: number;
}

/** A panel whose log has these heights; it reports a scroll as a browser does. */
async function open() {
  const store = new SessionStore(SESSION);
  store.apply([snapshot([message('m0', 'first', false)], [], IDLE)]);
  const panel = showPanel({ store }, { send: () => Promise.resolve() });
  const log = panel.view.getByRole('log');
  const layout: Layout = { scrollHeight: 1_000, clientHeight: 400, scrollTop: 0 };
  for (const key of ['scrollHeight', 'clientHeight', 'scrollTop'] as const) {
    Object.defineProperty(log, key, {
      configurable: true,
      get: () => layout[key],
      set: (value: number) => {
        layout[key] = Math.min(value, layout.scrollHeight - layout.clientHeight);
      },
    });
  }
  await panel.until(() => expect(layout.scrollTop).toBe(600));
  return { panel, layout, log, store };
}

const below = ({ view }: ShownPanel) => view.queryByRole('button', { name: /new below/ });

describe('the end of a session', () => {
  it('stays in sight when something has grown before its scroll was told', async () => {
    const { panel, layout, log, store } = await open();
    layout.scrollHeight = 1_300;
    fireEvent.scroll(log);
    store.apply([added(message('m1', 'second', false), 1, 11)]);
    await panel.until(() => expect(log.textContent).toContain('second'));
    expect(below(panel)).toBeNull();
  });

  it('is left by scrolling up, and come back to by sending', async () => {
    const { panel, layout, log, store } = await open();
    layout.scrollTop = 300;
    fireEvent.scroll(log);
    store.apply([added(message('m1', 'second', false), 1, 11)]);
    await panel.until(() => expect(below(panel)?.textContent).toBe('1 new below'));
    const box = panel.view.getByRole('textbox', { name: 'Message' });
    fireEvent.input(box, { target: { value: 'third' } });
    fireEvent.click(panel.view.getByRole('button', { name: 'Send' }));
    await panel.until(() => expect(below(panel)).toBeNull());
    expect(layout.scrollTop).toBe(600);
  });
});
