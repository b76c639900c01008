import { fireEvent } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { message, prompt, session, SESSION, tool } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { showPanel } from '../../../tests/support/panel';
import type { ShownPanel } from '../../../tests/support/panel';
import { SessionStore } from '../../state/store';
import type { Actions } from '../actions';

/** Two turns: prompt, a call, an answer each. */
function open(actions: Partial<Actions> = {}): ShownPanel {
  const store = new SessionStore(SESSION);
  const items = ['t1', 't2'].flatMap(id => [
    prompt(`p ${id}`, `Prompt ${id}`, id),
    tool(`c ${id}`, { title: `Read ${id}`, turn_id: id, status: 'completed', raw_input: { a: 1 } }),
    message(`m ${id}`, `Answer ${id}`, false, id),
  ]);
  const state = session({ status: 'idle', active_turn_id: null });
  store.apply([snapshot(items, [], state)]);
  return showPanel({ store }, actions);
}

const here = () => document.activeElement?.textContent ?? '';

const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });

describe('keys in the transcript', () => {
  it('go up and down by items, and to its ends', () => {
    const { view } = open();
    view.getByRole('log').focus();
    press('Home');
    expect(here()).toContain('Prompt t1');
    press('ArrowDown');
    expect(here()).toContain('Read t1');
    press('ArrowDown');
    expect(here()).toContain('Answer t1');
    press('ArrowUp');
    expect(here()).toContain('Read t1');
    press('End');
    expect(here()).toContain('Answer t2');
  });

  it('go by prompts with Alt', () => {
    const { view } = open();
    view.getByRole('log').focus();
    press('End');
    press('ArrowUp', { altKey: true });
    expect(here()).toContain('Prompt t2');
    press('ArrowUp', { altKey: true });
    expect(here()).toContain('Prompt t1');
    press('ArrowDown', { altKey: true });
    expect(here()).toContain('Prompt t2');
  });

  it('open a line, close it, and come back to it from inside', async () => {
    const { view, until } = open();
    const line = () => view.getByRole('button', { name: /Read t1/ });
    line().focus();
    press('ArrowRight');
    await until(() => expect(line().getAttribute('aria-expanded')).toBe('true'));
    press('ArrowLeft');
    await until(() => expect(line().getAttribute('aria-expanded')).toBe('false'));
    press('ArrowRight');
    await until(() => expect(line().getAttribute('aria-expanded')).toBe('true'));
    const inside = line().parentElement?.querySelector<HTMLElement>('.acp-body button');
    inside?.focus();
    expect(document.activeElement).toBe(inside);
    press('ArrowLeft');
    expect(document.activeElement).toBe(line());
  });

  it('copy what has the focus', () => {
    const copy = vi.fn(() => Promise.resolve());
    const { view } = open({ copy });
    view.getByRole('log').focus();
    press('Home');
    press('c');
    expect(copy).toHaveBeenCalledOnce();
  });

  it('stay letters in a text field, and the page has those with Ctrl', () => {
    const copy = vi.fn(() => Promise.resolve());
    const { view } = open({ copy });
    view.getByRole('textbox', { name: 'Message' }).focus();
    press('c');
    press('Home');
    expect(document.activeElement).toBe(view.getByRole('textbox', { name: 'Message' }));
    view.getByRole('log').focus();
    press('c', { ctrlKey: true });
    expect(copy).not.toHaveBeenCalled();
  });
});
