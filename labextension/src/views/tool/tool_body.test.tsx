import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import {
  command,
  edit,
  message,
  permission,
  search,
  thought,
  todoList,
  tool,
} from '../../../tests/support/build';
import { DONE, draw, openedCard, words } from '../../../tests/support/draw';
import { replaced } from '../../../tests/support/events';
import type { ToolCall } from '../../wire/types';

describe('an edit', () => {
  it('of a file that was there opens as a diff', async () => {
    const card = await openedCard(draw([edit('e', { is_new_file: false })]), /Editing file/);
    const diff = within(card).getByRole('region', { name: 'Diff of src/clean.py' });
    expect(diff.querySelectorAll('ins')).toHaveLength(2);
    expect(diff.querySelectorAll('del')).toHaveLength(1);
  });

  it('unchanged runs are folded and open; the header counts', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);
    const diff = {
      path: 'a.py',
      old_text: lines.join(''),
      new_text: [...lines.slice(0, 29), 'other\n', 'more\n'].join(''),
      is_new_file: false,
      old_line: 1,
      new_line: 1,
      added: 2,
      removed: 1,
    };
    const card = await openedCard(draw([edit('e', { diffs: [diff] })]), /Editing file/);
    expect(words(card.querySelector('.acp-diff > header'))).toContain('+2 −1');
    const fold = within(card).getByRole('button', { name: '26 unchanged lines' });
    expect(card.textContent).not.toContain('line 3 ');
    fireEvent.click(fold, { shiftKey: true });
    await waitFor(() => expect(card.querySelectorAll('.ctx')).toHaveLength(29));
  });

  const fresh = {
    path: 'b.py',
    old_text: null,
    new_text: 'one\ntwo\n',
    is_new_file: true,
    old_line: 1,
    new_line: 1,
  };

  it('of a new file shows the new body', async () => {
    const item = edit('e', {
      title: 'Writing file',
      is_new_file: true,
      path: 'b.py',
      output: 'Wrote file successfully.',
      diffs: [{ ...fresh, added: 2, removed: 0 }],
    });
    const card = await openedCard(draw([item]), /Writing file/);
    expect(within(card).queryByRole('region')).toBeNull();
    expect(words(within(card).getByRole('group', { name: 'b.py' }))).toBe('1one 2two');
    expect(words(card.querySelector('header'))).toContain('new');
    // The tool's text is below.
    await waitFor(() => expect(words(card)).toContain('Wrote file successfully.'));
  });

  it('keeps the text of a result beside its diff, below it', async () => {
    const card = await openedCard(
      draw([edit('e', { output: 'Edit applied successfully.' })]),
      /Editing file/,
    );
    const output = within(card).getByRole('group', { name: 'Terminal output' });
    await waitFor(() => expect(words(output)).toBe('Edit applied successfully.'));
    const diff = within(card).getByRole('region');
    expect(diff.compareDocumentPosition(output)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  it('of a file that was there and empty is a diff', async () => {
    const item = edit('e', { is_new_file: false, diffs: [{ ...fresh, added: 2, removed: 0 }] });
    const card = await openedCard(draw([item]), /Editing file/);
    expect(within(card).getByRole('region', { name: 'Diff of b.py' })).toBeTruthy();
    expect(words(card)).not.toContain('new');
  });

  it('without a diff shows the raw output', async () => {
    const item = edit('e', { title: 'Writing file', diffs: [], output: 'Wrote it.' });
    const card = await openedCard(draw([item]), /Writing file/);
    expect(within(card).queryByRole('region')).toBeNull();
    await waitFor(() =>
      expect(words(within(card).getByRole('group', { name: 'Terminal output' }))).toBe('Wrote it.'),
    );
  });

  it('stays an edit when its title becomes a path', async () => {
    const { store, card } = draw([edit('e', { title: 'edit', status: 'in_progress' })]);
    store.apply([replaced(edit('e', { title: 'src/clean.py', description: '' }), 11)]);
    await waitFor(() => expect(card('src/clean.py').dataset.kind).toBe('edit'));
    expect(card('src/clean.py').querySelector('use')?.getAttribute('href')).toBe('#acp-i-edit');
  });

  it('lists what is wrong with the file now; each opens at its line', async () => {
    const openFile = vi.fn(async () => {});
    const diagnostics: ToolCall['diagnostics'] = [
      { path: 'src/clean.py', line: 7, severity: 'error', message: 'Name x is not defined' },
      { path: 'src/io.py', line: null, severity: 'warning', message: 'Unused import' },
    ];
    const drawn = draw([edit('e', { diagnostics })], { actions: { openFile } });
    expect(words(drawn.card(/Editing file/))).toContain('2 problems');
    const card = await openedCard(drawn, /Editing file/);
    const list = within(card).getByRole('list', { name: 'Diagnostics' });
    expect(within(list).getAllByRole('listitem').map(words)).toEqual([
      'errorsrc/clean.py:7Name x is not defined',
      'warningsrc/io.pyUnused import',
    ]);
    fireEvent.click(within(list).getByRole('button', { name: 'src/clean.py:7' }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('src/clean.py', 7);
  });
});

describe('any tool call', () => {
  it('its places open at their line, or at the top', async () => {
    const openFile = vi.fn(async () => {});
    const locations = [
      { path: 'src/a.py', line: 12 },
      { path: '/etc/hosts', line: null },
      { path: '.', line: null },
    ];
    const drawn = draw([tool('o', { tool_kind: 'other', ui_kind: 'other', locations })], {
      actions: { openFile },
    });
    const card = await openedCard(drawn, /Reading file/);
    const list = within(card).getByRole('list', { name: 'Locations' });
    expect(within(list).getAllByRole('button').map(words)).toEqual(['src/a.py:12', '/etc/hosts']);
    fireEvent.click(within(list).getByRole('button', { name: 'src/a.py:12' }));
    fireEvent.click(within(list).getByRole('button', { name: '/etc/hosts' }));
    expect(openFile.mock.calls).toEqual([
      ['src/a.py', 12],
      ['/etc/hosts', null],
    ]);
  });

  it('a diff opens at the line that the agent names', async () => {
    const openFile = vi.fn(async () => {});
    const item = edit('e', { locations: [{ path: 'src/clean.py', line: 40 }] });
    const card = await openedCard(draw([item], { actions: { openFile } }), /Editing file/);
    expect(within(card).queryByRole('list', { name: 'Locations' })).toBeNull();
    fireEvent.click(within(card).getByRole('button', { name: 'Open src/clean.py' }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('src/clean.py', 40);
  });

  it('nulls and empties give no section', async () => {
    const item = search('s', [], { files: null, count: null, status: 'pending', raw_input: {} });
    const card = await openedCard(draw([item]), /Searching files/);
    expect(words(card.querySelector('.acp-body'))).toBe('No details.');
    expect(within(card).getAllByRole('button')).toHaveLength(1);
  });

  it('an input that comes later is shown', async () => {
    const start = search('s', [], { files: null, count: null, status: 'pending', raw_input: {} });
    const drawn = draw([start]);
    const card = await openedCard(drawn, /Searching files/);
    drawn.store.apply([replaced({ ...start, raw_input: { pattern: '*.md', path: null } }, 11)]);
    await waitFor(() => expect(words(card.querySelector('dl'))).toBe('pattern*.md'));
  });

  it('leaves out the ids of cells, which the title names', async () => {
    const input = { cell_ids: ['74be0faca5ca'], timeout: 5 };
    const item = tool('o', { title: 'Run cell 3', raw_input: input });
    const card = await openedCard(draw([item]), /Run cell 3/);
    expect(words(card)).toContain('timeout5');
    expect(words(card)).not.toContain('74be0faca5ca');
    fireEvent.click(within(card).getByRole('button', { name: 'Raw' }));
    expect(words(card)).toContain('74be0faca5ca');
  });

  it('a list of words reads as one, and what could mislead stays as it is', async () => {
    const input = { cells: ['a1', 'b2'], names: ['a, b'], lines: ['1\n2'], sizes: [1, 2] };
    const item = search('s', [], { files: null, count: null, raw_input: input });
    const card = await openedCard(draw([item]), /Searching files/);
    const values = [...card.querySelectorAll('dd')].map(words);
    expect(values).toEqual(['a1, b2', '["a, b"]', '["1\\n2"]', '[1,2]']);
  });

  it('a bar shows how far it is, with its message beside it', async () => {
    const item = command('c', { status: 'in_progress', progress: 0.5, message: 'Running tests…' });
    const { view, store, card } = draw([item]);
    const bar = view.getByRole('progressbar', { name: 'Running command' });
    expect(['now', 'min', 'max'].map(part => bar.getAttribute(`aria-value${part}`))).toEqual([
      '50',
      '0',
      '100',
    ]);
    expect(words(bar.parentElement)).toBe('50%Running tests…');
    expect(card(/Running command/).contains(bar)).toBe(true);
    store.apply([replaced(command('c', { progress: 1, message: 'Running tests…' }), 11)]);
    await waitFor(() => expect(view.queryByRole('progressbar')).toBeNull());
  });

  it('a share of any size is drawn within its bar', () => {
    const { view } = draw([command('c', { status: 'in_progress', progress: 7 })]);
    expect(view.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100');
  });

  it('says who allowed it, and why it was refused', () => {
    const { card } = draw([
      command('a', {
        permission: permission({
          state: 'allowed',
          outcome: "Allowed by the agent's own settings",
        }),
      }),
      message('m', 'And'),
      edit('b', {
        status: 'failed',
        permission: permission({ state: 'rejected', outcome: 'Rejected: too risky' }),
      }),
    ]);
    expect(words(card(/Running command/))).toContain("Allowed by the agent's own settings");
    expect(words(card(/Editing file/))).toContain('Rejected: too risky');
    expect(words(card(/Editing file/))).not.toContain('failed');
  });

  it('says when it began and when it ended, once it is opened', async () => {
    const [start, end] = [1_769_109_184, 1_769_109_192.125];
    const at = (seconds: number) => new Date(seconds * 1000).toLocaleString();
    const ended = await openedCard(
      draw([edit('e', { started_at: start, ended_at: end })]),
      /Editing file/,
    );
    expect(words(ended)).toContain(`${at(start)} – ${at(end)}`);
    const runs = edit('f', { status: 'in_progress', started_at: start, ended_at: null });
    const running = await openedCard(draw([runs]), /Editing file/);
    expect(words(running)).toContain(at(start));
    expect(words(running)).not.toContain(`${at(start)} –`);
    const quick = edit('q', { started_at: start, ended_at: start + 0.4 });
    expect(words(await openedCard(draw([quick]), /Editing file/))).not.toContain('–');
  });

  it('stays within its nodes while it is closed', () => {
    const item = edit('e', { truncated: true, started_at: 0, ended_at: 3 });
    const { card } = draw([item]);
    expect(card(/Editing file/).querySelectorAll('*').length + 1).toBeLessThanOrEqual(20);
  });

  it('has no control in a saved record', () => {
    const items = [
      todoList('t'),
      search('s', ['a.py']),
      edit('e', { locations: [{ path: 'x.py', line: 1 }] }),
      thought('th', 'why', { title: 'Looking' }),
    ];
    const { view, element } = draw(items, { turn: DONE, actions: null });
    for (const details of [...element.querySelectorAll('details')]) {
      details.open = true;
    }
    expect(view.queryAllByRole('button')).toEqual([]);
  });
});
