import { fireEvent, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { prompt, session, SESSION } from '../../../../tests/support/build';
import { sessionOf } from '../../../../tests/support/golden';
import { IDLE, showPanel, storeOf, until, view, write } from '../../../../tests/support/panel';

afterEach(() => void vi.useRealTimers());

describe('the message box', () => {
  it('sends with Enter, not with Shift, not while composing, not nothing', async () => {
    const send = vi.fn(() => Promise.resolve());
    showPanel({ store: storeOf([], IDLE) }, { send });
    const box = write('Hello');
    fireEvent.keyDown(box, { key: 'Enter', shiftKey: true });
    fireEvent.keyDown(box, { key: 'Enter', isComposing: true });
    fireEvent.keyDown(box, { key: 'Enter', keyCode: 229 });
    expect(send).not.toHaveBeenCalled();
    await until(() => expect(box).toHaveProperty('value', 'Hello'));
    fireEvent.keyDown(box, { key: 'Enter' });
    await until(() => expect(send).toHaveBeenCalledExactlyOnceWith(SESSION, 'Hello', [], []));
    await until(() => expect(box).toHaveProperty('value', ''));
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('stops with Escape twice and brings back what was written', async () => {
    // Both keys must come within a moment, which a busy machine might exceed.
    vi.useFakeTimers({ toFake: ['performance'] });
    const cancel = vi.fn(() => Promise.resolve());
    showPanel({ store: storeOf([prompt('u', 'Make it fast')]) }, { cancel });
    const box = view().getByRole('textbox', { name: 'Message' });
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(cancel).not.toHaveBeenCalled();
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(cancel).toHaveBeenCalledTimes(1);
    fireEvent.keyDown(box, { key: 'ArrowUp' });
    await until(() => expect(box).toHaveProperty('value', 'Make it fast'));
  });

  it('lists what waits, to be removed, edited in its place, or sent now', () => {
    const removeQueued = vi.fn(() => Promise.resolve());
    const editQueued = vi.fn(() => Promise.resolve());
    const sendNow = vi.fn(() => Promise.resolve());
    showPanel(
      {
        store: storeOf(
          [prompt('u', 'Go')],
          session({ queue: [{ turn_id: 'q', text: 'And then' }] }),
        ),
      },
      { removeQueued, editQueued, sendNow },
    );
    const queue = within(view().getByRole('list', { name: 'Queue' }));
    fireEvent.click(queue.getByRole('button', { name: 'Stop and send now' }));
    expect(sendNow).toHaveBeenCalledWith('q');
    fireEvent.click(queue.getByRole('button', { name: 'Edit queued message' }));
    const box = queue.getByRole('textbox', { name: 'Queued message' });
    fireEvent.input(box, { target: { value: 'And now' } });
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(editQueued).toHaveBeenCalledWith('q', 'And now');
    fireEvent.click(queue.getByRole('button', { name: 'Remove queued message' }));
    expect(removeQueued).toHaveBeenCalledWith(SESSION, 'q');
  });

  it('steers the running turn in place of stopping it, where the agent takes that', () => {
    const steer = vi.fn(() => Promise.resolve());
    const sendNow = vi.fn(() => Promise.resolve());
    const queue = [{ turn_id: 'q', text: 'Not that one' }];
    const store = storeOf([prompt('u', 'Go')], session({ queue, can: ['steering'] }));
    showPanel({ store }, { steer, sendNow });
    const shown = within(view().getByRole('list', { name: 'Queue' }));
    expect(shown.queryByRole('button', { name: 'Stop and send now' })).toBeNull();
    fireEvent.click(shown.getByRole('button', { name: 'Steer: say it in the running turn' }));
    expect(steer).toHaveBeenCalledExactlyOnceWith('q');
    expect(sendNow).not.toHaveBeenCalled();
  });

  it('leaves a queued message as it was on Escape', () => {
    const editQueued = vi.fn(() => Promise.resolve());
    const cancel = vi.fn(() => Promise.resolve());
    showPanel(
      {
        store: storeOf(
          [prompt('u', 'Go')],
          session({ queue: [{ turn_id: 'q', text: 'And then' }] }),
        ),
      },
      { editQueued, cancel },
    );
    const queue = within(view().getByRole('list', { name: 'Queue' }));
    fireEvent.click(queue.getByRole('button', { name: 'Edit queued message' }));
    const box = queue.getByRole('textbox', { name: 'Queued message' });
    fireEvent.input(box, { target: { value: 'lost' } });
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(view().getByRole('list', { name: 'Queue' }).textContent).toBe('And then');
    expect(editQueued).not.toHaveBeenCalled();
  });

  it('completes the commands that the agent has named', () => {
    const { commands } = sessionOf('turns/commands');
    showPanel({ store: storeOf([], { ...IDLE, commands }) });
    const box = write('/c');
    const [option] = view().getAllByRole('option');
    expect(option?.textContent).toBe('/commitCommit changes');
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(box).toHaveProperty('value', '/commit ');
  });

  it('completes the commands of the agent by the keyboard', async () => {
    const commands = ['plan', 'review', 'preview'].map(name => ({
      name,
      description: `Does ${name}`,
      hint: '',
    }));
    const send = vi.fn(() => Promise.resolve());
    showPanel({ store: storeOf([], { ...IDLE, commands }) }, { send });
    const names = () =>
      view()
        .queryAllByRole('option')
        .map(option => option.textContent);
    write('/');
    expect(names()).toHaveLength(3);
    const box = write('/re');
    expect(names()).toEqual(['/reviewDoes review', '/previewDoes preview']);
    fireEvent.keyDown(box, { key: 'ArrowDown' });
    const active = view().getByRole('option', { name: /preview/ });
    expect(active.getAttribute('aria-selected')).toBe('true');
    expect(box.getAttribute('aria-activedescendant')).toBe(active.id);
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(box).toHaveProperty('value', '/preview ');
    expect(send).not.toHaveBeenCalled();
    expect(view().queryByRole('listbox', { name: 'Commands' })).toBeNull();
    write('/p');
    fireEvent.keyDown(box, { key: 'Escape' });
    expect(view().queryByRole('listbox', { name: 'Commands' })).toBeNull();
    write('see /p');
    expect(names()).toEqual([]);
    write('/nothing');
    expect(names()).toEqual([]);
    fireEvent.keyDown(box, { key: 'Enter' });
    await until(() => expect(send).toHaveBeenCalledWith(SESSION, '/nothing', [], []));
  });
});
