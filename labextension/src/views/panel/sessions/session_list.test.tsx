import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { FoundSessions } from '../../../wire/types';
import type { Actions, SessionLife } from '../../actions';
import { lifeOf, menuOf, showList, summary, titles } from '../../../../tests/support/panel';
import type { ShownPanel } from '../../../../tests/support/panel';
import { until } from '../../../../tests/support/wait';

const offered = ({ view }: ShownPanel) =>
  view.getAllByRole('menuitem').map(each => each.textContent);

afterEach(() => void vi.useRealTimers());

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

  it('shows how far imports are, and cancels them', async () => {
    const run = vi.fn<SessionLife['run']>(() => Promise.resolve());
    const panel = await showList([summary('one')], { life: lifeOf({ run }) });
    expect(panel.view.queryByRole('region', { name: 'Importing' })).toBeNull();
    const progress = {
      ...{ import_id: 'i1', file_name: 'big.ndjson', lines: 120_000 },
      ...{ bytes_read: 30_000_000, bytes_total: 80_000_000 },
    };
    panel.mounted.update({ ...panel.props, imports: [{ ...progress, stage: 'survey' }] });
    const part = await until(() => panel.view.getByRole('region', { name: 'Importing' }));
    expect(part.textContent).toContain('Looking through: 120,000 lines, 30.0 MB of 80.0 MB');
    const bar = within(part).getByRole('progressbar', { name: 'Import of big.ndjson' });
    expect([bar.getAttribute('max'), bar.getAttribute('value')]).toEqual(['80000000', '30000000']);
    panel.mounted.update({ ...panel.props, imports: [{ ...progress, stage: 'read' }] });
    await until(() => expect(part.textContent).toContain('big.ndjson120,000 lines, 30.0 MB of'));
    fireEvent.click(within(part).getByRole('button', { name: 'Cancel the import of big.ndjson' }));
    await until(() => expect(run).toHaveBeenCalledWith({ name: 'cancel_import', import_id: 'i1' }));
    panel.mounted.update({ ...panel.props, imports: [] });
    await until(() => expect(panel.view.queryByRole('region', { name: 'Importing' })).toBeNull());
  });

  it('looks for words in what was said, part by part, and opens the place', async () => {
    const openSession = vi.fn();
    const hit = (session_id: string, where: 'prompt' | 'answer') => ({
      ...{ session_id, where, turn_id: `turn of ${session_id}` },
      ...{ before: 'a quick ', match: 'Zebra', after: ' crossing' },
    });
    const replies: ((found: FoundSessions) => void)[] = [];
    const search = vi.fn<NonNullable<Actions['search']>>(
      () =>
        new Promise(reply => {
          replies.push(reply);
        }),
    );
    const panel = await showList([summary('one'), summary('two')], { openSession, search });
    // It is looked for once nothing was typed for a while.
    vi.useFakeTimers();
    const type = (value: string) =>
      fireEvent.input(panel.view.getByRole('searchbox'), { target: { value } });
    type('z');
    await until(() => expect(panel.view.getByText('No title matches.')).toBeTruthy());
    expect(panel.view.queryByRole('region', { name: 'In messages' })).toBeNull();
    type(' zebra ');
    const box = await until(() => panel.view.getByRole('region', { name: 'In messages' }));
    const status = () => within(box).getByRole('status').textContent;
    expect(status()).toBe('Searching messages');
    await until(() => expect(search.mock.calls).toEqual([['zebra', '']]));
    const part = { total: 2, cut: false };
    replies[0]?.({ ...part, hits: [hit('two', 'prompt')], searched: 1, next_cursor: 'c' });
    await until(() => expect(status()).toBe('Searched 1 of 2 sessions'));
    await until(() => expect(search.mock.calls[1]).toEqual(['zebra', 'c']));
    const found = [hit('two', 'answer'), hit('gone', 'answer')];
    replies[1]?.({ ...part, hits: found, searched: 2, next_cursor: '' });
    await until(() => expect(status()).toBe('2 places'));
    const [first, second] = within(box).getAllByRole('button');
    expect(first?.textContent).toBe('Title twoPrompt: a quick Zebra crossing');
    expect(first?.querySelector('mark')?.textContent).toBe('Zebra');
    fireEvent.click(second ?? box);
    expect(openSession).toHaveBeenCalledExactlyOnceWith('two', 'turn of two');
  });

  it('says when nothing was said like that, or why it could not look', async () => {
    const none = { hits: [], searched: 1, total: 1, next_cursor: '', cut: false };
    const search = vi.fn((text: string) =>
      text === 'fail' ? Promise.reject(new Error('The server is away.')) : Promise.resolve(none),
    );
    const panel = await showList([summary('one')], { search });
    // It is looked for once nothing was typed for a while.
    vi.useFakeTimers();
    const type = (value: string) =>
      fireEvent.input(panel.view.getByRole('searchbox'), { target: { value } });
    type('nothing');
    await until(() => expect(panel.view.getByText('Nothing found.')).toBeTruthy());
    type('fail');
    await until(() => expect(panel.view.getByText('The server is away.')).toBeTruthy());
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
      live: ['Rename', 'Fork', ...exports, 'Close', 'Archive', 'Delete'],
      kept: ['Resume', 'Rename', ...exports, 'Archive', 'Delete'],
      loads: ['Resume', 'Rename', ...exports, 'Archive', 'Delete'],
      forgets: ['Rename', ...exports, 'Archive', 'Delete'],
      running: ['Rename', ...exports, 'Close', 'Archive', 'Delete'],
      locked: exports,
      log: ['Rename', ...exports, 'Archive', 'Delete'],
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

  it.each([
    ['Export as HTML', 'html'],
    ['Export the traffic', 'traffic'],
  ])('has %s, which exports as %s', async (name, format) => {
    const exportSession = vi.fn(() => Promise.resolve());
    const panel = await showList([summary('one')], { exportSession });
    fireEvent.click(within(await menuOf(panel, 'Title one')).getByRole('menuitem', { name }));
    expect(exportSession).toHaveBeenCalledExactlyOnceWith('one', format);
  });
});
