import { expect, it } from 'vitest';

import { session, tool } from '../../../tests/support/build';
import { draw, words } from '../../../tests/support/draw';

it('says that the folder is looked at before the prompt is sent', () => {
  const { view } = draw([], { session: session({ looking: true }) });
  expect(words(view.getByRole('status'))).toBe('Looking at the folder');
});

it('says why a message waits', () => {
  const { view } = draw([], { session: session({ status: 'starting', held: 'It died. 4 s.' }) });
  expect(words(view.getByRole('status'))).toBe('It died. 4 s.');
});

it('says what a subagent does, not that one runs', () => {
  const running = { status: 'in_progress', ended_at: null } as const;
  const task = tool('task', { title: 'Running task', ...running });
  const read = tool('read', { parent_id: 'task', ...running });
  expect(words(draw([task, read]).view.getByRole('status'))).toBe('Reading file');
});
