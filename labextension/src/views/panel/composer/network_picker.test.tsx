import { fireEvent, within } from '@testing-library/preact';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../../tests/support/build';
import { IDLE, showPanel, storeOf, view } from '../../../../tests/support/panel';
import type { SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';

const setConfig = vi.fn<NonNullable<Actions['setConfig']>>(() => Promise.resolve());

beforeEach(() => {
  setConfig.mockClear();
});

function show(over: Partial<SessionState>): void {
  showPanel({ store: storeOf([], { ...IDLE, ...over }) }, { setConfig });
}

const picker = () => view().getByRole('combobox', { name: 'Network' });

function choose(name: string): void {
  fireEvent.click(picker());
  const options = within(view().getByRole('listbox', { name: 'Network' })).getAllByRole('option');
  const option = options.find(
    each => each.querySelector('.grow')?.firstChild?.textContent === name,
  );
  fireEvent.click(option ?? document.body);
}

describe('the picker of a network', () => {
  it('is there in a sandbox alone, chosen or brought by a policy', () => {
    show({ sandbox: 'off' });
    expect(view().queryByRole('combobox', { name: 'Network' })).toBeNull();
    show({ sandbox: 'off', policy: 'read-only' });
    expect(picker().textContent).toBe('Network: All');
  });

  it('changes what the agent reaches', () => {
    show({ sandbox: 'folder', network: 'hosts' });
    expect(picker().textContent).toBe('Network: Named hosts');
    choose('None');
    expect(setConfig).toHaveBeenCalledExactlyOnceWith(SESSION, { network: 'none' });
  });

  it('says from when on it counts', () => {
    show({ sandbox: 'folder' });
    fireEvent.click(picker());
    const id = picker().getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(id)?.textContent).toBe('Takes effect with your next message.');
  });

  it('is chosen for a session that is to start', () => {
    const createSession = vi.fn(() => Promise.resolve('new'));
    const startsWith = { agent: '', policy: 'ask', sandbox: 'folder' } as const;
    showPanel({ startsWith }, { setConfig, createSession });
    expect(picker().textContent).toBe('Network: Default');
    choose('Named hosts');
    fireEvent.input(view().getByRole('textbox', { name: 'Message' }), { target: { value: 'Hi' } });
    fireEvent.click(view().getByRole('button', { name: 'Send' }));
    expect(createSession).toHaveBeenCalledExactlyOnceWith('claude', 'ask', 'folder', 'hosts');
    expect(setConfig).not.toHaveBeenCalled();
  });
});
