import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { command, SESSION } from '../../../tests/support/build';
import { draw, openedCard, words } from '../../../tests/support/draw';
import { replaced } from '../../../tests/support/events';
import { parseItem } from '../../wire/parse_snapshot';
import type { TerminalView, ToolCall } from '../../wire/types';

const RUNNING: TerminalView = {
  terminal_id: 'x',
  command: 'make',
  cwd: '',
  running: true,
  exit_code: null,
  signal: '',
  by: '',
  released: false,
  own: true,
  by_user: false,
  truncated: false,
  can_cancel: false,
};

function running(over: Partial<ToolCall> = {}): ToolCall {
  const base = { command: 'make', exit_code: null, terminal: RUNNING, ended_at: null };
  return command('c', { ...base, status: 'in_progress', output: 'one\n', ...over });
}

describe('a terminal in its card', () => {
  it('can be stopped while it runs', async () => {
    const killTerminal = vi.fn(() => Promise.resolve());
    const drawn = draw([running()], { actions: { killTerminal } });
    const card = await openedCard(drawn, /Running command/);
    expect(card.textContent).toContain('Still running');
    fireEvent.click(within(card).getByRole('button', { name: 'Stop this command' }));
    expect(killTerminal).toHaveBeenCalledWith(SESSION, 'x');
    const terminal = { ...RUNNING, running: false, signal: 'SIGTERM', by: 'user' } as const;
    drawn.store.apply([replaced(running({ status: 'cancelled', terminal }), 99)]);
    await waitFor(() => expect(card.textContent).toContain('Stopped by you'));
    expect(within(card).queryByRole('button', { name: 'Stop this command' })).toBeNull();
  });

  it('says why it could not be stopped', async () => {
    const killTerminal = () => Promise.reject(new Error('There is no terminal'));
    const card = await openedCard(draw([running()], { actions: { killTerminal } }), /Running/);
    fireEvent.click(within(card).getByRole('button', { name: 'Stop this command' }));
    await waitFor(() => expect(card.textContent).toContain('There is no terminal'));
  });

  it('shows an output whose end has changed, in as many characters', async () => {
    const drawn = draw([running({ output: 'one\n1 %' })], { actions: {} });
    const card = await openedCard(drawn, /Running command/);
    expect(card.textContent).toContain('1 %');
    drawn.store.apply([replaced(running({ output: 'one\n2 %' }), 99)]);
    await waitFor(() => expect(card.textContent).toContain('2 %'));
    expect(card.textContent).not.toContain('1 %');
  });

  it('can not be stopped in a saved record', () => {
    const drawn = draw([running()], { actions: null });
    expect(drawn.card(/Running command/).innerHTML).not.toContain('Stop');
  });

  it('can not be stopped where the agent itself runs it', async () => {
    const own = { ...RUNNING, own: false };
    const drawn = draw([running({ terminal: own })], { actions: { killTerminal: vi.fn() } });
    const card = await openedCard(drawn, /Running command/);
    expect(within(card).queryByRole('button', { name: 'Stop this command' })).toBeNull();
  });

  it.each([
    [{ exit_code: 0 }, 'Exit code 0'],
    [{ exit_code: 3 }, 'Exit code 3'],
    [{ signal: 'SIGSEGV' }, 'Killed by SIGSEGV'],
    [{ signal: 'SIGTERM', by: 'agent' }, 'Stopped by the agent'],
    [{ signal: 'SIGKILL', by: 'time_limit' }, 'Stopped: it ran too long'],
    [{ signal: 'SIGTERM', by: 'session' }, 'Stopped with its agent'],
    [{ exit_code: 0, by: 'user' }, 'Exit code 0'],
  ] as const)('tells its end: %o', async (end, expected) => {
    const terminal = { ...RUNNING, running: false, ...end };
    const exit = 'exit_code' in end ? end.exit_code : null;
    const item = running({ status: 'completed', terminal, exit_code: exit, ended_at: 64 });
    const drawn = draw([item]);
    // A failed command is already open.
    const failed = exit !== null && exit > 0;
    const card = failed
      ? drawn.card(/Running command/)
      : await openedCard(drawn, /Running command/);
    expect(words(card.querySelector('footer'))).toContain(expected);
  });

  it('says that there was too much output', async () => {
    const terminal = { ...RUNNING, truncated: true };
    const card = await openedCard(draw([running({ terminal })]), /Running command/);
    expect(card.textContent).toContain('Its end is shown when the command has ended.');
  });

  it('is read from a saved record, and nonsense does no harm', () => {
    const item = running();
    expect(parseItem({ ...item })).toEqual(item);
    const odd = parseItem({ ...item, terminal: { running: 'yes', by: 7, exit_code: 'x' } });
    expect(odd).toMatchObject({
      terminal: { terminal_id: '', running: false, by: '', exit_code: null, own: false },
    });
  });
});
