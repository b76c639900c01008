import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { lifeOf, showList, summary } from '../../../../tests/support/panel';
import type { AgentSession, AgentSessions } from '../../../wire/types';
import type { SessionLife } from '../../actions';

describe('sessions that only an agent knows', () => {
  const theirs = (id: string, over: Partial<AgentSession> = {}): AgentSession => ({
    agent_session_id: id,
    cwd: '/home/user/work',
    title: `Talk ${id}`,
    updated_at: '',
    archived: false,
    session_id: '',
    ...over,
  });

  it('are listed page by page on demand, without those that are known', async () => {
    const pages: Record<string, AgentSessions> = {
      '': { sessions: [theirs('a'), theirs('b', { session_id: 'ours' })], next_cursor: '2' },
      '2': { sessions: [theirs('c', { title: '' })], next_cursor: '2' },
    };
    const listOfAgent = vi.fn((_: string, cursor: string) =>
      Promise.resolve(pages[cursor] ?? { sessions: [], next_cursor: '' }),
    );
    const openOfAgent = vi.fn(() => Promise.resolve('opened'));
    const openSession = vi.fn();
    const panel = await showList(
      [summary('one', { can: ['list'] }), summary('two', { agent_id: 'x' })],
      {
        openSession,
        life: lifeOf({ listOfAgent, openOfAgent }),
      },
    );
    const part = within(panel.view.getByRole('region', { name: 'Other sessions of Claude' }));
    expect(listOfAgent).not.toHaveBeenCalled();
    fireEvent.click(part.getByRole('button', { name: 'Show them' }));
    await panel.until(() => expect(part.getAllByRole('listitem')).toHaveLength(1));
    fireEvent.click(part.getByRole('button', { name: 'Show more' }));
    await panel.until(() => expect(part.getAllByRole('listitem')).toHaveLength(2));
    expect(part.queryByRole('button', { name: 'Show more' })).toBeNull();
    expect(part.getAllByRole('listitem')[1]?.textContent).toContain('c');
    fireEvent.click(part.getByRole('button', { name: 'Open Talk a' }));
    await panel.until(() => expect(openSession).toHaveBeenCalledWith('opened'));
    expect(openOfAgent).toHaveBeenCalledExactlyOnceWith('claude', theirs('a'), false);
  });

  it('ask for trust in their folder before they are opened', async () => {
    const untrusted = Object.assign(new Error('The folder is not trusted.'), {
      reason: 'folder_not_trusted',
    });
    const openOfAgent = vi
      .fn<SessionLife['openOfAgent']>()
      .mockRejectedValueOnce(untrusted)
      .mockResolvedValueOnce('opened');
    const panel = await showList([summary('one', { can: ['list'] })], {
      life: lifeOf({
        openOfAgent,
        listOfAgent: () => Promise.resolve({ sessions: [theirs('a')], next_cursor: '' }),
      }),
    });
    fireEvent.click(panel.view.getByRole('button', { name: 'Show them' }));
    const button = await waitFor(() => panel.view.getByRole('button', { name: 'Open Talk a' }));
    fireEvent.click(button);
    await panel.until(() => expect(button.textContent).toBe('Trust the folder and open'));
    expect(panel.element.textContent).toContain('The folder is not trusted.');
    fireEvent.click(button);
    await panel.until(() => expect(openOfAgent).toHaveBeenCalledTimes(2));
    expect(openOfAgent.mock.calls.map(call => call[2])).toEqual([false, true]);
  });
});
