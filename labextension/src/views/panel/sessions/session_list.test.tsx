import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { lifeOf, menuOf, showList, summary, titles } from '../../../../tests/support/panel';
import type { ShownPanel } from '../../../../tests/support/panel';

const offered = ({ view }: ShownPanel) =>
  view.getAllByRole('menuitem').map(each => each.textContent);

describe('the session list', () => {
  it('shows what needs the user first, finds and opens', async () => {
    const openSession = vi.fn();
    const panel = await showList(
      [
        summary('idle'),
        summary('running', { status: 'running' }),
        summary('waiting', { status: 'requires_action', waiting: 1 }),
        summary('old', { updated_at: Date.now() / 1000 - 200_000, stored: true }),
      ],
      { openSession },
    );
    expect(titles(panel)).toEqual(['Title waiting', 'Title running', 'Title idle', 'Title old']);
    const earlier = panel.view.getByRole('list', { name: 'Earlier' });
    expect(earlier.textContent).toContain('Ended · Claude · 2 d');
    fireEvent.input(panel.view.getByRole('searchbox'), { target: { value: 'run' } });
    await panel.until(() => expect(titles(panel)).toEqual(['Title running']));
    fireEvent.click(panel.view.getByRole('button', { name: /^Title running/ }));
    expect(openSession).toHaveBeenCalledWith('running');
    await panel.until(() =>
      expect(panel.view.getByRole('textbox', { name: 'Message' })).toBeTruthy(),
    );
  });

  it('says of a session without a prompt that it is new', async () => {
    const panel = await showList([summary('one', { title: '' }), summary('two')]);
    expect(panel.view.getByRole('button', { name: /^New session/ }).textContent).toContain('New ·');
    expect(panel.view.getByRole('button', { name: /^Title two/ }).textContent).toContain('Done ·');
  });

  it('mounts a part of very many', async () => {
    const panel = await showList(Array.from({ length: 1000 }, (_, index) => summary(`s${index}`)));
    expect(titles(panel)).toHaveLength(100);
    fireEvent.click(panel.view.getByRole('button', { name: 'Show more (900)' }));
    await panel.until(() => expect(titles(panel)).toHaveLength(200));
  });

  it('offers only what can be done', async () => {
    const panel = await showList([
      summary('live', { can: ['fork', 'list'] }),
      summary('kept', { stored: true, can: ['resume'] }),
      summary('loads', { stored: true, can: ['load'] }),
      summary('forgets', { stored: true, can: ['list'] }),
      summary('running', { can: ['resume'] }),
      summary('locked', { read_only: 'This session is open in another server.', can: ['fork'] }),
      summary('log', { agent_id: 'imported', agent_name: 'Log', status: 'stopped' }),
    ]);
    const exports = ['Export as Markdown', 'Export as HTML', 'Export the traffic'];
    const wanted = {
      live: ['Rename', 'Fork', ...exports, 'Close', 'Delete'],
      kept: ['Resume', 'Rename', ...exports, 'Delete'],
      loads: ['Resume', 'Rename', ...exports, 'Delete'],
      forgets: ['Rename', ...exports, 'Delete'],
      running: ['Rename', ...exports, 'Close', 'Delete'],
      locked: exports,
      log: ['Rename', ...exports, 'Delete'],
    };
    for (const [id, items] of Object.entries(wanted)) {
      await menuOf(panel, `Title ${id}`);
      expect(offered(panel), id).toEqual(items);
      fireEvent.keyDown(document.activeElement ?? panel.element, { key: 'Escape' });
      await panel.until(() => expect(panel.view.queryByRole('menu')).toBeNull());
    }
    expect(panel.element.querySelector('[data-session=locked]')?.textContent).toContain(
      'Open in another server · read only',
    );
    expect(panel.element.querySelector('[data-session=log]')?.textContent).toContain('Imported');
  });

  it('has menus that keys move in', async () => {
    const closeSession = vi.fn(() => Promise.resolve());
    const panel = await showList([summary('one')], { closeSession });
    const menu = await menuOf(panel, 'Title one');
    await panel.until(() => expect(document.activeElement?.textContent).toBe('Rename'));
    const press = (key: string) =>
      fireEvent.keyDown(document.activeElement ?? panel.element, { key });
    press('ArrowUp');
    expect(document.activeElement?.textContent).toBe('Delete');
    press('ArrowUp');
    expect(document.activeElement?.textContent).toBe('Close');
    fireEvent.click(within(menu).getByRole('menuitem', { name: 'Close' }));
    expect(closeSession).toHaveBeenCalledWith('one');
    expect(document.activeElement).toBe(
      panel.view.getByRole('button', { name: 'More for Title one' }),
    );
  });

  it('renames in place', async () => {
    const setConfig = vi.fn(() => Promise.resolve());
    const panel = await showList([summary('one')], { setConfig });
    fireEvent.click(
      within(await menuOf(panel, 'Title one')).getByRole('menuitem', { name: 'Rename' }),
    );
    const box = await waitFor(() => panel.view.getByRole('textbox', { name: 'Title' }));
    expect(box).toHaveProperty('value', 'Title one');
    fireEvent.input(box, { target: { value: ' Better ' } });
    fireEvent.click(panel.view.getByRole('button', { name: 'Rename' }));
    expect(setConfig).toHaveBeenCalledExactlyOnceWith('one', { title: 'Better' });
    await panel.until(() =>
      expect(panel.view.queryByRole('textbox', { name: 'Title' })).toBeNull(),
    );
  });

  it('resumes and forks into what it opens', async () => {
    const openSession = vi.fn();
    const run = vi.fn(() => Promise.resolve());
    const panel = await showList([summary('one', { stored: true, can: ['fork', 'resume'] })], {
      openSession,
      life: lifeOf({ run }),
    });
    fireEvent.click(
      within(await menuOf(panel, 'Title one')).getByRole('menuitem', { name: 'Fork' }),
    );
    await panel.until(() => expect(openSession).toHaveBeenCalledWith('forked'));
    fireEvent.click(panel.view.getByRole('button', { name: 'Sessions' }));
    await panel.until(() =>
      expect(panel.view.getByRole('heading', { name: 'Sessions' })).toBeTruthy(),
    );
    fireEvent.click(
      within(await menuOf(panel, 'Title one')).getByRole('menuitem', { name: 'Resume' }),
    );
    await panel.until(() =>
      expect(run).toHaveBeenCalledWith({ name: 'resume_session', session_id: 'one' }),
    );
    expect(openSession).toHaveBeenCalledWith('one');
  });

  it('exports in the chosen form', async () => {
    const exportSession = vi.fn(() => Promise.resolve());
    const panel = await showList([summary('one')], { exportSession });
    fireEvent.click(
      within(await menuOf(panel, 'Title one')).getByRole('menuitem', { name: 'Export as HTML' }),
    );
    expect(exportSession).toHaveBeenCalledExactlyOnceWith('one', 'html');
  });
});
