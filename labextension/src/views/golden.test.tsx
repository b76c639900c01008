import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { openedCard, words } from '../../tests/support/draw';
import type { Drawn } from '../../tests/support/draw';
import { drawGolden, GOLDEN_TURNS } from '../../tests/support/golden';
import { until } from '../../tests/support/wait';

afterEach(() => void vi.useRealTimers());

describe.each([true, false])('a turn (drawn live: %s)', live => {
  it('that asks waits for an answer', async () => {
    const { view } = drawGolden('turn_asked', { live });
    await waitFor(() =>
      expect(view.getByRole('group', { name: 'Permission request' })).toBeTruthy(),
    );
    expect(view.getByRole('button', { name: 'Allow once' })).toBeTruthy();
    expect(view.getByRole('status').textContent).toBe('Waiting for your answer');
  });

  it('that was allowed says so at its card', async () => {
    vi.useFakeTimers();
    const { view, card } = drawGolden('turn_allowed', { live });
    // A turn that was watched folds when the user's hands rest.
    await vi.advanceTimersByTimeAsync(3_000);
    fireEvent.click(view.getByRole('button', { name: /^3 steps/ }));
    const edit = await until(() => card(/^Editing file/));
    expect(edit.textContent).toContain('Allowed once');
    expect(view.queryByRole('group', { name: 'Permission request' })).toBeNull();
    expect(view.queryByRole('status')).toBeNull();
  });

  it('whose agent died says so once', async () => {
    const { view } = drawGolden('turn_died', { live });
    await waitFor(() => expect(view.getAllByRole('group', { name: 'Error' })).toHaveLength(1));
    expect(view.queryByRole('button', { name: 'Stop' })).toBeNull();
  });
});

/** What is drawn, in any order: plans and artifacts move when a turn is done. */
function drawnItems({ element }: Drawn): string[] {
  return [...element.querySelectorAll<HTMLElement>('[data-item]')]
    .map(({ dataset, ariaLabel }) => `${dataset.item} ${ariaLabel} ${dataset.status ?? ''}`)
    .sort();
}

it.each(GOLDEN_TURNS)('%s is the same, drawn live or at once', name => {
  const live = drawGolden(name, { live: true });
  const atOnce = drawGolden(name);
  expect(drawnItems(live)).toEqual(drawnItems(atOnce));
  expect(words(live.element)).not.toBe('');
  expect(words(live.element)).not.toMatch(/undefined|\[object|NaN|null/);
});

describe('golden turns, as they come', () => {
  it('nulls and empties give no section', async () => {
    const card = await openedCard(drawGolden('turns/tool_nothing_but_nulls'), /Searching files/);
    expect(words(card.querySelector('.acp-body'))).toBe('No details.');
  });

  it('a task names its subagent', () => {
    const { card } = drawGolden('turns/task_subagent');
    expect(words(card(/Find the data loaders/).querySelector('.badge'))).toBe('Explore');
  });

  it('a todo list is one from its start on, whatever its title', async () => {
    const titles: string[] = [];
    const { view, element } = drawGolden('turns/todo_titles', {
      live: true,
      watch: ({ view: now, element: at }) => {
        expect(at.querySelector('.acp-tool')).toBeNull();
        const list = now.queryByRole('list', { name: 'Todos' });
        if (list !== null) {
          titles.push(String(within(list).queryAllByRole('listitem').length));
        }
      },
    });
    expect([...new Set(titles)]).toEqual(['0', '3', '6']);
    await waitFor(() => expect(view.getAllByRole('listitem')).toHaveLength(6));
    const [first, second] = view.getAllByRole('listitem');
    expect([first, second].map(words)).toEqual([
      'Done: Create prepare.sh script',
      'Now: Building dashboard page',
    ]);
    expect(element.textContent).not.toContain('activeForm');
  });

  it('a plan and a todo list stand beside each other', async () => {
    const { view } = drawGolden('turns/plan_beside_todos');
    fireEvent.click(view.getByRole('button', { name: /^Plan/ }));
    const plan = await waitFor(() => view.getByRole('list', { name: 'Plan' }));
    expect(within(plan).getAllByRole('listitem').length).toBeGreaterThan(0);
    expect(within(view.getByRole('list', { name: 'Todos' })).getAllByRole('listitem')).toHaveLength(
      6,
    );
  });

  it('a search that was cut lists what came and says how many there are', async () => {
    const card = await openedCard(drawGolden('turns/search_truncated'), /mail/);
    expect(within(card).getAllByRole('listitem')).toHaveLength(5);
    expect(words(card.querySelector('.acp-line'))).toContain('truncated240 files');
  });

  it('a search that found nothing says so', async () => {
    const card = await openedCard(drawGolden('turns/search_none'), /xlsx/);
    expect(words(card.querySelector('.acp-found'))).toBe('No files found');
    expect(within(card).queryByRole('listitem')).toBeNull();
  });

  it('a read file is its text, its numbers beside it', async () => {
    const card = await openedCard(drawGolden('turns/read_wrapped'), /Reading file/);
    const pre = within(card).getByRole('group', { name: 'outputs/prepare.py' });
    pre.querySelectorAll('.ln').forEach(number => number.remove());
    expect(pre.textContent).toBe('import pandas as pd\n\ndf = pd.read_csv("sales.csv")\n');
  });

  it('a command that ended with 3 looks failed, its text once', async () => {
    const { card } = drawGolden('turns/bash_exit_3');
    const build = card(/Build the page/);
    expect([build.dataset.status, build.dataset.failed]).toEqual(['completed', '']);
    await waitFor(() => expect(build.textContent.split('TS2304')).toHaveLength(2));
    expect(words(build)).toContain('Exit code 3');
  });

  it('a write lists what is wrong now', async () => {
    const card = await openedCard(drawGolden('turns/edit_diagnostics'), /Editing file/);
    const list = within(card).getByRole('list', { name: 'Diagnostics' });
    const found = within(list).getAllByRole('listitem');
    expect(found.map(each => each.dataset.severity)).toEqual(['error', 'warning']);
  });

  it('a new file is its body, a changed one a diff', async () => {
    const written = await openedCard(drawGolden('turns/write_new'), /Writing file/);
    expect(within(written).queryByRole('region')).toBeNull();
    expect(words(written.querySelector('pre'))).toBe('1// new file content...');
    for (const name of ['edit_existing', 'write_existing_empty']) {
      const edited = await openedCard(drawGolden(`turns/${name}`), /Editing file/);
      expect(within(edited).getByRole('region', { name: /^Diff of/ })).toBeTruthy();
      document.body.replaceChildren();
    }
  });

  it('an edit stays one when its title changes', () => {
    const icons = new Set<string | null | undefined>();
    drawGolden('turns/edit_existing', {
      live: true,
      watch: ({ element }) => {
        const card = element.querySelector<HTMLElement>('.acp-tool');
        if (card !== null) {
          expect(card.dataset.kind).toBe('edit');
          icons.add(card.querySelector('use')?.getAttribute('href'));
        }
      },
    });
    expect([...icons]).toEqual(['#acp-i-edit']);
  });

  it('places open at their line', async () => {
    const openFile = vi.fn(async () => {});
    const drawn = drawGolden('turns/locations', { actions: { openFile } });
    const card = await openedCard(drawn, /Looking around/);
    within(within(card).getByRole('list', { name: 'Locations' }))
      .getAllByRole('button')
      .forEach(place => fireEvent.click(place));
    expect(openFile.mock.calls).toEqual([
      ['src/a.py', 12],
      ['src/b/index.ts', null],
      ['/etc/hosts', 1],
    ]);
  });

  it('an error is shown with its code, and the turn is over', () => {
    for (const [name, code] of [
      ['error', 'rate_limited'],
      ['error_number', '-1'],
    ] as const) {
      const { view } = drawGolden(`turns/${name}`);
      expect(words(view.getByRole('group', { name: 'Error' }))).toContain(`Code ${code}`);
      expect(view.queryByRole('status')).toBeNull();
      document.body.replaceChildren();
    }
  });
});
