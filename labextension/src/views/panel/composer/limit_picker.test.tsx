import { fireEvent } from '@testing-library/preact';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../../tests/support/build';
import { IDLE, showPanel, storeOf, until, view } from '../../../../tests/support/panel';
import type { SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';

const setConfig = vi.fn<NonNullable<Actions['setConfig']>>(() => Promise.resolve());

beforeEach(() => {
  setConfig.mockClear();
});

function show(over: Partial<SessionState> = {}): void {
  showPanel({ store: storeOf([], { ...IDLE, ...over }) }, { setConfig });
}

const button = (name: string | RegExp) => view().getByRole('button', { name });

const field = (name: string) => view().getByRole<HTMLInputElement>('textbox', { name });

describe('the limits of a session', () => {
  it('are set in words', async () => {
    show({ limit: '1 h' });
    fireEvent.click(button('Limit: 1 h'));
    expect(document.activeElement).toBe(field('Each turn'));
    expect(field('All turns of this session').value).toBe('1 h');
    fireEvent.input(field('Each turn'), { target: { value: ' 10 min, 30 calls ' } });
    fireEvent.click(button('Set'));
    const change = { turn_limit: '10 min, 30 calls' };
    await until(() => expect(setConfig).toHaveBeenCalledExactlyOnceWith(SESSION, change));
    await until(() => expect(view().queryByRole('dialog', { name: 'Limits' })).toBeNull());
    expect(document.activeElement).toBe(button('Limit: 1 h'));
  });

  it('are seen, and taken away', async () => {
    show({ limit: '5 USD', turn_limit: '30 calls' });
    fireEvent.click(button('Limit: 30 calls; 5 USD'));
    fireEvent.input(field('All turns of this session'), { target: { value: '' } });
    fireEvent.click(button('Set'));
    await until(() => expect(setConfig).toHaveBeenCalledExactlyOnceWith(SESSION, { limit: '' }));
  });

  it('keep what was typed if the server refuses it, and say why', async () => {
    const words = "'ten' is no limit. Type, for example, 10 min.";
    setConfig.mockRejectedValueOnce(new Error(words));
    show();
    fireEvent.click(button('No limit'));
    fireEvent.input(field('Each turn'), { target: { value: 'ten' } });
    fireEvent.click(button('Set'));
    await until(() => expect(view().getByRole('alert').textContent).toBe(words));
    expect(field('Each turn').value).toBe('ten');
    fireEvent.input(field('Each turn'), { target: { value: 'ten m' } });
    expect(view().queryByRole('alert')).toBeNull();
    fireEvent.keyDown(field('Each turn'), { key: 'Escape' });
    expect(view().queryByRole('dialog')).toBeNull();
    expect(document.activeElement).toBe(button('No limit'));
  });

  it('change nothing if nothing was typed', () => {
    show({ turn_limit: '30 calls' });
    fireEvent.click(button('Limit: 30 calls'));
    fireEvent.click(button('Set'));
    expect(setConfig).not.toHaveBeenCalled();
    expect(view().queryByRole('dialog')).toBeNull();
  });

  it('make a session that is not there yet', async () => {
    const createSession = vi.fn(() => Promise.resolve('new'));
    showPanel({}, { setConfig, createSession });
    fireEvent.click(button('No limit'));
    fireEvent.input(field('Each turn'), { target: { value: '9 calls' } });
    fireEvent.click(button('Set'));
    await until(() => expect(setConfig).toHaveBeenCalledWith('new', { turn_limit: '9 calls' }));
  });
});
