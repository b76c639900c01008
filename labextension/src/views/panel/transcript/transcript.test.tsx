import { fireEvent } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import {
  message,
  prompt,
  session,
  SESSION,
  steered,
  tool,
  turn,
} from '../../../../tests/support/build';
import { draw } from '../../../../tests/support/draw';
import { added, snapshot } from '../../../../tests/support/events';
import { IDLE, showPanel } from '../../../../tests/support/panel';
import type { ShownPanel } from '../../../../tests/support/panel';
import { SessionStore } from '../../../state/store';
import type { Item } from '../../../wire/types';
import type { Actions } from '../../actions';

function texts(count: number, from = 0): Item[] {
  return Array.from({ length: count }, (_, index) =>
    message(`m${from + index}`, `text ${from + index}`, false, `t${from + index}`),
  );
}

function open(items: Item[], first = 0, actions: Partial<Actions> = {}): ShownPanel {
  const store = new SessionStore(SESSION);
  const total = first + items.length;
  store.apply([{ ...snapshot(items, [], IDLE), first_index: first, total }]);
  return showPanel({ store }, actions);
}

const mounted = ({ element }: ShownPanel) => element.querySelectorAll('.acp-prose');

/** Lets frames pass until a condition is true, or it is clear that it won't be. */
async function frames(isSo: () => boolean): Promise<void> {
  for (let count = 0; count < 200 && !isSo(); count += 1) {
    await new Promise(resolve => requestAnimationFrame(resolve));
  }
}

describe('a session', () => {
  it('is mounted whole up to 400 items: find-in-page finds everything', () => {
    expect(mounted(open(texts(400)))).toHaveLength(400);
  });

  it('has what was said while a turn ran where the agent took it, and once', () => {
    const store = new SessionStore(SESSION);
    const items: Item[] = [
      prompt('u', 'Go', 't1'),
      message('a', 'before', false, 't1'),
      prompt('q', 'Not that one', 't2'),
      steered('s', 'Not that one', 't1'),
      message('b', 'after', false, 't1'),
    ];
    const turns = [
      turn({ turn_id: 't1', status: 'running' }),
      turn({ turn_id: 't2', status: 'done', stop_reason: 'steered' }),
    ];
    store.apply([snapshot(items, turns, session({ active_turn_id: 't1' }))]);
    const { element } = showPanel({ store });
    const shown = [...element.querySelectorAll('.acp-user, .acp-prose')];
    expect(shown.map(each => each.textContent)).toEqual(['Go', 'before', 'Not that one', 'after']);
    expect(shown[2]?.getAttribute('aria-label')).toBe('Said while the turn ran');
  });

  it('is mounted from its end above that', () => {
    const shown = mounted(open(texts(1_000)));
    expect(shown.length).toBeLessThan(100);
    expect(shown[shown.length - 1]?.textContent).toContain('text 999');
  });

  it('stays whole when it grows while one reads, and asks for earlier items once', async () => {
    const loadItems = vi.fn(() => Promise.resolve());
    const panel = open(texts(200, 300), 300, { loadItems });
    fireEvent.click(panel.view.getByRole('button', { name: 'Show earlier items (300)' }));
    fireEvent.click(panel.view.getByRole('button', { name: 'Show earlier items (300)' }));
    expect(loadItems).toHaveBeenCalledExactlyOnceWith(SESSION, 200, 300);
    panel.props.store?.insert({ first_index: 270, items: texts(30, 270), total: 500 });
    await frames(() => mounted(panel).length === 230);
    expect(mounted(panel)).toHaveLength(230);
    await frames(() => panel.element.querySelector('.acp-gap') !== null);
    fireEvent.click(panel.view.getByRole('button', { name: 'Show earlier items (270)' }));
    expect(loadItems).toHaveBeenLastCalledWith(SESSION, 170, 270);
  });

  it('says that a page could not be loaded, and loads it again on a click', async () => {
    const loadItems = vi.fn(() => Promise.resolve());
    loadItems.mockRejectedValueOnce(new Error('Not connected.'));
    const panel = open(texts(200, 300), 300, { loadItems });
    const { element, view } = panel;
    fireEvent.click(view.getByRole('button', { name: 'Show earlier items (300)' }));
    const again = await view.findByRole('button', { name: 'Try again' });
    expect(element.textContent).toContain('These items could not be loaded.');
    expect(loadItems).toHaveBeenCalledOnce();
    fireEvent.click(again);
    expect(loadItems.mock.calls).toEqual([
      [SESSION, 200, 300],
      [SESSION, 200, 300],
    ]);
    await panel.until(() => expect(view.queryByRole('button', { name: 'Try again' })).toBeNull());
    expect(element.textContent).not.toContain('could not be loaded');
  });

  it('has a turn that runs in two parts, while what is between them is not loaded', async () => {
    const steps = (first: number, count: number) =>
      Array.from({ length: count }, (_, at) => message(`m${first + at}`, `text ${first + at}`));
    const store = new SessionStore(SESSION);
    const newest = snapshot(steps(300, 2), [turn({ status: 'running' })]);
    store.apply([{ ...newest, first_index: 300, total: 302 }]);
    const { element } = showPanel({ store });
    const turns = () => [...element.querySelectorAll('.acp-turn')];
    const parts = () =>
      turns().map(part => [...part.querySelectorAll('.acp-prose')].map(each => each.textContent));
    store.insert({ items: [prompt('u', 'Go'), ...steps(1, 2)], first_index: 0, total: 302 });
    await frames(() => parts().length === 2);
    expect(parts()).toEqual([
      ['text 1', 'text 2'],
      ['text 300', 'text 301'],
    ]);
    // New items join the end, and the turn's footer is there once.
    store.apply([added(message('new', 'text new'), 302, 11)]);
    await frames(() => parts()[1]?.length === 3);
    expect(parts()[1]).toEqual(['text 300', 'text 301', 'text new']);
    const done = turn({ status: 'done', stop_reason: 'end_turn', ended_at: 9 });
    store.apply([{ kind: 'turn_ended', session_id: SESSION, seq: 12, turn: done }]);
    await frames(() => element.querySelector('.acp-foot') !== null);
    const feet = turns().map(part => part.querySelectorAll('.acp-foot').length);
    expect(feet).toEqual([0, 1]);
    store.insert({ items: steps(3, 297), first_index: 3, total: 303 });
    await frames(() => turns().length === 1);
    expect(turns()).toHaveLength(1);
    expect(element.querySelector('.acp-gap')).toBeNull();
  });

  it('mounts a page of earlier items by steps, each in a frame of its own', async () => {
    const panel = open(texts(200, 300), 300, { loadItems: () => Promise.resolve() });
    fireEvent.click(panel.view.getByRole('button', { name: 'Show earlier items (300)' }));
    const counts = [200];
    const observer = new MutationObserver(() => counts.push(mounted(panel).length));
    observer.observe(panel.element, { subtree: true, childList: true });
    panel.props.store?.insert({ first_index: 260, items: texts(40, 260), total: 500 });
    await frames(() => mounted(panel).length === 240);
    expect(mounted(panel)).toHaveLength(240);
    observer.disconnect();
    const steps = counts.slice(1).map((count, index) => count - (counts[index] ?? 0));
    expect(Math.max(...steps)).toBeLessThan(40);
  });
});

describe('a turn of very many lines', () => {
  const lines = Array.from({ length: 900 }, (_, index) =>
    index % 2 === 0 ? message(`m${index}`, `text ${index}`) : tool(`c${index}`),
  );

  it('mounts the newest, and more on a click', async () => {
    const { element, view } = draw(lines);
    expect(element.querySelectorAll('.acp-items > *').length).toBeLessThanOrEqual(202);
    fireEvent.click(view.getByRole('button', { name: 'Show 700 earlier steps' }));
    await view.findByRole('button', { name: 'Show 500 earlier steps' });
    expect(element.textContent).toContain('text 500');
  });

  it('mounts all of a saved one', () => {
    const { view } = draw(lines, { turn: turn({ status: 'done' }), actions: null });
    expect(view.queryByRole('button', { name: /earlier steps/ })).toBeNull();
  });
});
