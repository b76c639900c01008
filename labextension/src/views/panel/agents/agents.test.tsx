import { fireEvent, waitFor } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../../tests/support/build';
import { snapshot } from '../../../../tests/support/events';
import { IDLE, showPanel, write } from '../../../../tests/support/panel';
import { SessionStore } from '../../../state/store';

describe('a new session', () => {
  it('begins with the choice of its agent', async () => {
    const createSession = vi.fn(() => Promise.resolve('new'));
    const panel = showPanel({}, { createSession });
    fireEvent.click(panel.view.getByRole('button', { name: 'New session' }));
    await panel.until(() =>
      expect(panel.view.getByRole('menu', { name: 'New session' })).toBeTruthy(),
    );
    expect(createSession).not.toHaveBeenCalled();
    const items = panel.view.getAllByRole('menuitem');
    expect(items.map(each => each.textContent)).toEqual([
      'Claude',
      'Demo',
      'Geministopped at start',
      'Add an agent…',
    ]);
    expect(items[2]?.hasAttribute('disabled')).toBe(true);
    fireEvent.click(panel.view.getByRole('menuitem', { name: 'Demo' }));
    expect(createSession).toHaveBeenCalledExactlyOnceWith('demo', 'ask', null, null);
  });
});

describe('a session that is being made', () => {
  it('gets what is written meanwhile, whatever was open before', async () => {
    let made: (id: string) => void = () => undefined;
    const createSession = vi.fn(() => new Promise<string>(resolve => (made = resolve)));
    const send = vi.fn<(...given: unknown[]) => Promise<void>>(() => Promise.resolve());
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], IDLE)]);
    const panel = showPanel({ store }, { createSession, send });
    fireEvent.click(panel.view.getByRole('button', { name: 'New session' }));
    fireEvent.click(await waitFor(() => panel.view.getByRole('menuitem', { name: 'Demo' })));
    await panel.until(() => expect(panel.view.getByText('Starting Demo')).toBeTruthy());
    const box = panel.view.getByRole('textbox', { name: 'Message' });
    fireEvent.input(box, { target: { value: 'Hello' } });
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(send).not.toHaveBeenCalled();
    made('new');
    await panel.until(() => expect(send).toHaveBeenCalledOnce());
    expect(send.mock.calls[0]).toEqual(expect.arrayContaining(['new', 'Hello']));
    expect(createSession).toHaveBeenCalledTimes(1);
    await panel.until(() => expect(panel.view.queryByText('Starting Demo')).toBeNull());
  });

  it('goes on with what is being written', async () => {
    const fresh = new SessionStore('new');
    const createSession = vi.fn(async () => {
      await Promise.resolve();
      panel.mounted.update({ ...panel.props, store: fresh });
      await panel.until(() =>
        expect(panel.element.querySelector('[data-session=new]')).toBeTruthy(),
      );
      return 'new';
    });
    const store = new SessionStore(SESSION);
    store.apply([snapshot([], [], IDLE)]);
    const panel = showPanel({ store }, { createSession });
    fireEvent.input(panel.view.getByRole('textbox', { name: 'Message' }), {
      target: { value: 'Half a' },
    });
    fireEvent.click(panel.view.getByRole('button', { name: 'New session' }));
    fireEvent.click(await waitFor(() => panel.view.getByRole('menuitem', { name: 'Demo' })));
    await panel.until(() => expect(panel.element.querySelector('[data-session=new]')).toBeTruthy());
    await panel.until(() =>
      expect(panel.view.getByRole('textbox', { name: 'Message' })).toHaveProperty(
        'value',
        'Half a',
      ),
    );
    expect(store.ui.value('draft')).toBe('');
  });

  it('leaves no trace where it fails', async () => {
    const createSession = vi.fn(() => Promise.reject(new Error('Demo could not start.')));
    const panel = showPanel({}, { createSession });
    fireEvent.click(panel.view.getByRole('button', { name: 'New session' }));
    fireEvent.click(await waitFor(() => panel.view.getByRole('menuitem', { name: 'Demo' })));
    await panel.until(() => expect(panel.view.getByText('Demo could not start.')).toBeTruthy());
    expect(panel.view.queryByText('Starting Demo')).toBeNull();
  });

  it('keeps the message and what is attached where the first message could not be sent', async () => {
    const blank = new SessionStore('');
    const store = new SessionStore('new');
    const attachment = { kind: 'file', label: 'a.py', path: 'a.py' } as const;
    blank.ui.attachments.add(attachment);
    const made = vi.fn(() => {
      panel.mounted.update({ ...panel.props, store });
      return Promise.resolve('new');
    });
    const send = () => Promise.reject(new Error('The agent stopped.'));
    const panel = showPanel({ blank }, { createSession: made, send });
    write('Look at it');
    fireEvent.click(panel.view.getByRole('button', { name: 'Send' }));
    await panel.until(() => expect(panel.view.getByText('The agent stopped.')).toBeTruthy());
    expect(panel.element.querySelector('[data-session=new]')).toBeTruthy();
    expect(panel.view.getByRole('textbox', { name: 'Message' })).toHaveProperty(
      'value',
      'Look at it',
    );
    expect(panel.view.getByText('a.py')).toBeTruthy();
    expect(store.ui.attachments.list).toEqual([attachment]);
  });
});
