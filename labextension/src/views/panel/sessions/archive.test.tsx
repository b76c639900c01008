import { fireEvent, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { lifeOf, menuOf, showList, summary, titles } from '../../../../tests/support/panel';
import type { ShownPanel } from '../../../../tests/support/panel';
import type { AgentSession } from '../../../wire/types';

const choose = async (panel: ShownPanel, title: string, name: string) => {
  fireEvent.click(within(await menuOf(panel, title)).getByRole('menuitem', { name }));
};

describe('the archive', () => {
  it('takes sessions out of the list, and gives them back', async () => {
    const archive = vi.fn(() => Promise.resolve(''));
    const panel = await showList(
      [summary('one'), summary('two'), summary('old', { archived: true, stored: true })],
      { life: lifeOf({ archive }) },
    );
    expect(titles(panel)).toEqual(['Title one', 'Title two']);
    const show = panel.view.getByRole('button', { name: 'Show archived (1)' });
    expect(show.getAttribute('aria-expanded')).toBe('false');
    await choose(panel, 'Title one', 'Archive');
    await panel.until(() => expect(archive).toHaveBeenCalledExactlyOnceWith('one', true));
    await panel.until(() => expect(panel.element.textContent).toContain('Title one was archived.'));
    panel.mounted.update({
      ...panel.props,
      sessions: [
        summary('one', { archived: true, stored: true }),
        summary('two'),
        summary('old', { archived: true, stored: true }),
      ],
    });
    await panel.until(() => expect(titles(panel)).toEqual(['Title two']));
    expect(document.activeElement).toBe(panel.view.getByRole('searchbox'));
    fireEvent.click(panel.view.getByRole('button', { name: 'Show archived (2)' }));
    const part = await panel.view.findByRole('list', { name: 'Archived' });
    expect(within(part).getAllByRole('listitem')).toHaveLength(2);
    await choose(panel, 'Title old', 'Unarchive');
    await panel.until(() => expect(archive).toHaveBeenLastCalledWith('old', false));
    fireEvent.click(panel.view.getByRole('button', { name: 'Hide archived' }));
    await panel.until(() =>
      expect(panel.view.queryByRole('list', { name: 'Archived' })).toBeNull(),
    );
  });

  it('is searched with the rest', async () => {
    const panel = await showList([summary('one'), summary('old', { archived: true })]);
    fireEvent.input(panel.view.getByRole('searchbox'), { target: { value: 'old' } });
    await panel.until(() => expect(titles(panel)).toEqual(['Title old']));
    expect(panel.element.textContent).not.toContain('No title matches.');
    expect(panel.view.getByRole('list', { name: 'Archived' })).toBeTruthy();
  });

  it('shows a part of very many, and the rest on clicks', async () => {
    const archived = Array.from({ length: 150 }, (_, index) =>
      summary(`s${index}`, { archived: true, stored: true }),
    );
    const panel = await showList([summary('one'), ...archived]);
    fireEvent.click(panel.view.getByRole('button', { name: 'Show archived (150)' }));
    await panel.until(() => expect(titles(panel)).toHaveLength(101));
    fireEvent.click(panel.view.getByRole('button', { name: 'Show more (50)' }));
    await panel.until(() => expect(titles(panel)).toHaveLength(151));
    expect(panel.view.queryByRole('button', { name: /^Show more/ })).toBeNull();
  });

  it('says when everything is in it, and what an agent refused', async () => {
    const words = 'Claude has not changed its own copy: it does not know this session any more.';
    const panel = await showList([summary('old', { title: '', archived: true })], {
      life: lifeOf({ archive: () => Promise.resolve(words) }),
    });
    expect(panel.element.textContent).toContain('All sessions are archived.');
    fireEvent.click(panel.view.getByRole('button', { name: 'Show archived (1)' }));
    await panel.until(() => expect(titles(panel)).toEqual(['New session']));
    await choose(panel, 'New session', 'Unarchive');
    await panel.until(() => expect(panel.element.textContent).toContain(words));
    await panel.until(() =>
      expect(panel.element.textContent).toContain('New session was taken out of the archive.'),
    );
  });

  it('of an agent itself is shown on a click, where it has one', async () => {
    const theirs = (id: string, archived: boolean): AgentSession => ({
      ...{ agent_session_id: id, cwd: '/work', title: `Talk ${id}`, updated_at: '' },
      ...{ archived, session_id: '' },
    });
    const listOfAgent = vi.fn((_: string, __: string, archived: boolean) =>
      Promise.resolve({
        sessions: archived ? [theirs('a', false), theirs('b', true)] : [theirs('a', false)],
        next_cursor: '',
      }),
    );
    const panel = await showList(
      [
        summary('one', { can: ['list', 'archive'] }),
        summary('before', { can: ['list'] }),
        summary('two', { agent_id: 'x', agent_name: 'X', can: ['list'] }),
      ],
      { life: lifeOf({ listOfAgent }) },
    );
    const of = (name: string) =>
      within(panel.view.getByRole('region', { name: `Other sessions of ${name}` }));
    for (const name of ['Claude', 'X']) {
      fireEvent.click(of(name).getByRole('button', { name: 'Show them' }));
      await panel.until(() => expect(of(name).getAllByRole('listitem')).toHaveLength(1));
    }
    expect(of('X').queryByRole('button', { name: 'Show archived' })).toBeNull();
    const button = of('Claude').getByRole('button', { name: 'Show archived' });
    button.focus();
    fireEvent.click(button);
    await panel.until(() => expect(of('Claude').getAllByRole('listitem')).toHaveLength(2));
    expect(listOfAgent).toHaveBeenLastCalledWith('claude', '', true);
    expect(of('Claude').getAllByRole('listitem')[1]?.textContent).toContain('Archived · /work');
    expect(of('Claude').queryByRole('button', { name: 'Show archived' })).toBeNull();
    expect(document.activeElement).toBe(of('Claude').getByRole('button', { name: 'Open Talk a' }));
  });
});
