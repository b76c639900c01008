import { fireEvent } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { session, SESSION } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import {
  choose,
  lifeOf,
  openList,
  showList,
  showPanel,
  summary,
  titles,
} from '../../../../tests/support/panel';
import { SessionStore } from '../../../state/store';

const UNDO = /^Undo/;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

const DELETE_ONE = { name: 'delete_session', session_id: 'one' };

afterEach(() => {
  vi.useRealTimers();
});

describe('deleting a session', () => {
  it('asks nothing, can be undone for 8 seconds, and is sent then', async () => {
    const run = vi.fn(() => Promise.resolve());
    const panel = await showList([summary('one'), summary('two')], { life: lifeOf({ run }) });
    await choose(panel, 'Title one', 'Delete');
    await panel.until(() => expect(titles(panel)).toEqual(['Title two']));
    expect(document.activeElement).toBe(panel.view.getByRole('button', { name: UNDO }));
    vi.advanceTimersByTime(7_000);
    expect(run).not.toHaveBeenCalled();
    fireEvent.click(panel.view.getByRole('button', { name: 'Undo deleting Title one' }));
    await panel.until(() => expect(titles(panel)).toEqual(['Title one', 'Title two']));
    vi.advanceTimersByTime(9_000);
    expect(run).not.toHaveBeenCalled();

    await choose(panel, 'Title one', 'Delete');
    await panel.until(() => expect(panel.view.getByRole('button', { name: UNDO })).toBeTruthy());
    vi.advanceTimersByTime(8_000);
    expect(run).toHaveBeenCalledExactlyOnceWith(DELETE_ONE);
    await panel.until(() => expect(panel.view.queryByRole('button', { name: UNDO })).toBeNull());
    expect(titles(panel)).toEqual(['Title two']);
    expect(document.activeElement).toBe(panel.view.getByRole('searchbox'));
  });

  it.each(['the page', 'the panel'])('is sent at once when %s goes away', async what => {
    const run = vi.fn(() => Promise.resolve());
    const panel = await showList([summary('one')], { life: lifeOf({ run }) });
    await choose(panel, 'Title one', 'Delete');
    expect(run).not.toHaveBeenCalled();
    if (what === 'the page') {
      window.dispatchEvent(new Event('pagehide'));
    } else {
      panel.mounted.dispose();
    }
    expect(run).toHaveBeenCalledExactlyOnceWith(DELETE_ONE);
    vi.advanceTimersByTime(9_000);
    expect(run).toHaveBeenCalledOnce();
  });

  it('goes on while the list is closed, and the session itself says so', async () => {
    const run = vi.fn(() => Promise.resolve());
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], session({ status: 'idle', active_turn_id: null }))]);
    const sessions = [summary(SESSION), summary('two')];
    const panel = showPanel({ store, sessions }, { life: lifeOf({ run }) });
    await openList(panel);
    await choose(panel, `Title ${SESSION}`, 'Delete');
    fireEvent.click(panel.view.getByRole('button', { name: 'Back to the session' }));
    await panel.until(() =>
      expect(panel.element.textContent).toContain('This session will be deleted in a moment.'),
    );
    fireEvent.click(panel.view.getByRole('button', { name: 'Undo' }));
    vi.advanceTimersByTime(9_000);
    expect(run).not.toHaveBeenCalled();
  });

  it('says why it could not be done, and lists the session again', async () => {
    const run = vi.fn(() => Promise.reject(new Error('It is in use.')));
    const panel = await showList([summary('one')], { life: lifeOf({ run }) });
    await choose(panel, 'Title one', 'Delete');
    vi.advanceTimersByTime(8_000);
    await panel.until(() => expect(panel.element.textContent).toContain('It is in use.'));
    expect(titles(panel)).toEqual(['Title one']);
  });
});
