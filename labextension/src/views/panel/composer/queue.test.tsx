import { expect, it } from 'vitest';

import { message, prompt, session, SESSION, TURN } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import { showPanel } from '../../../../tests/support/panel';
import { SessionStore } from '../../../state/store';

it('shows a message that waits in the queue alone, and in the log once it is its turn', async () => {
  const store = new SessionStore(SESSION);
  const items = [prompt('u', 'First'), message('m', 'Working', false), prompt('w', 'Second', 'q')];
  const queue = [{ turn_id: 'q', text: 'Second' }];
  store.apply([snapshot(items, undefined, session({ queue }))]);
  const panel = showPanel({ store });
  const log = panel.view.getByRole('log');
  expect(log.textContent).toContain('First');
  expect(log.textContent).not.toContain('Second');
  expect(panel.view.getByRole('list', { name: 'Queue' }).textContent).toBe('Second');

  const next = session({ queue: [], active_turn_id: TURN });
  store.apply([{ kind: 'session_changed', session_id: SESSION, seq: 11, session: next }]);
  await panel.until(() => expect(log.textContent).toContain('Second'));
  expect(panel.view.queryByRole('list', { name: 'Queue' })).toBeNull();
});
