import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { command, message, SESSION, tool, turn } from '../../../tests/support/build';
import { draw, words } from '../../../tests/support/draw';
import { replaced } from '../../../tests/support/events';
import type { TerminalView, ToolCall } from '../../wire/types';

const OPEN: Partial<ToolCall> = {
  title: 'Serve',
  description: '',
  status: 'in_progress',
  can_cancel: true,
  ended_at: null,
};
const BACKGROUND = tool('a', { ...OPEN, background: true, tool_call_id: 'server' });
const SERVES: TerminalView = {
  terminal_id: 'x',
  command: 'serve',
  cwd: '',
  running: true,
  exit_code: null,
  signal: '',
  by: '',
  released: false,
  own: false,
  by_user: false,
  truncated: false,
  can_cancel: true,
};
const DONE = { turn: turn({ status: 'done', stop_reason: 'end_turn' }) };

describe('a call in the background', () => {
  it('says so and is stopped by a button, with its line closed', async () => {
    const cancelToolCall = vi.fn(() => Promise.resolve());
    const drawn = draw([BACKGROUND], { ...DONE, actions: { cancelToolCall } });
    const card = drawn.card(/Serve/);
    expect(words(card)).toContain('Running in the background');
    fireEvent.click(within(card).getByRole('button', { name: 'Stop this call' }));
    expect(cancelToolCall).toHaveBeenCalledWith(SESSION, 'server');
    drawn.store.apply([replaced({ ...BACKGROUND, cancelling: true }, 98)]);
    await waitFor(() => expect(within(card).getByRole('status').textContent).toBe('Stopping'));
    const over = { status: 'cancelled', background: false, can_cancel: false } as const;
    drawn.store.apply([replaced({ ...BACKGROUND, ...over, ended_at: 5 }, 99)]);
    await waitFor(() => expect(words(card)).not.toContain('Stopping'));
    expect(words(card)).toContain('stopped');
    expect(within(card).queryByRole('button', { name: 'Stop this call' })).toBeNull();
  });

  it('is asked once while the agent answers', async () => {
    let refuse: (error: Error) => void = () => {};
    const cancelToolCall = vi.fn(() => new Promise<void>((_, reject) => (refuse = reject)));
    const drawn = draw([BACKGROUND], { ...DONE, actions: { cancelToolCall } });
    const stop = within(drawn.card(/Serve/)).getByRole('button', { name: 'Stop this call' });
    fireEvent.click(stop);
    await waitFor(() => expect(stop.getAttribute('aria-disabled')).toBe('true'));
    fireEvent.click(stop);
    expect(cancelToolCall).toHaveBeenCalledTimes(1);
    refuse(new Error('Two does not end this: No.'));
    await waitFor(() =>
      expect(drawn.card(/Serve/).textContent).toContain('does not end this: No.'),
    );
    expect(stop.getAttribute('aria-disabled')).toBe('false');
  });

  it('that nobody can end only says so', () => {
    const item = { ...BACKGROUND, can_cancel: false };
    const drawn = draw([item], { ...DONE, actions: { cancelToolCall: vi.fn() } });
    const card = drawn.card(/Serve/);
    expect(words(card)).toContain('Running in the background');
    expect(within(card).queryByRole('button', { name: /Stop/ })).toBeNull();
  });

  it('has no button and no clock in a saved record', () => {
    const drawn = draw([BACKGROUND], { ...DONE, actions: null });
    const card = drawn.card(/Serve/);
    expect(words(card)).toContain('Running in the background');
    expect(card.innerHTML).not.toContain('Stop');
    expect(card.querySelector('.spin')).toBeNull();
  });

  it('stays in sight when its turn is folded', () => {
    const others = ['b', 'c', 'd'].map(id => tool(id));
    const drawn = draw([BACKGROUND, ...others, message('m', 'Done.')], {
      ...DONE,
      actions: { cancelToolCall: vi.fn() },
    });
    expect(drawn.view.getByRole('button', { name: /3 steps/ })).toBeTruthy();
    expect(drawn.card(/Serve/)).toBeTruthy();
  });
});

describe('a command in the background', () => {
  it('is stopped in the card of its call, which has ended', () => {
    const cancelToolCall = vi.fn(() => Promise.resolve());
    const item = command('a', { terminal: SERVES, exit_code: null, background: true });
    const drawn = draw([item], { ...DONE, actions: { cancelToolCall } });
    const card = drawn.card(/Running command/);
    fireEvent.click(within(card).getByRole('button', { name: 'Stop this command' }));
    expect(cancelToolCall).toHaveBeenCalledWith(SESSION, 'a');
  });
});

describe('a call of the running turn', () => {
  it('that can be stopped has a button once it runs for a while', async () => {
    const find = (name: RegExp) =>
      within(drawn.card(name)).queryByRole('button', { name: 'Stop this call' });
    const begun = tool('b', { ...OPEN, title: 'Fresh', started_at: Date.now() / 1000 + 3_600 });
    const drawn = draw([tool('a', OPEN), begun], { actions: { cancelToolCall: vi.fn() } });
    await waitFor(() => expect(find(/Serve/)).not.toBeNull());
    expect(find(/Fresh/)).toBeNull();
  });
});
