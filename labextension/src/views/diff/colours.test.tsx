import { act, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { edit, session, SESSION, tool, turn, TURN } from '../../../tests/support/build';
import { openedCard, words } from '../../../tests/support/draw';
import { snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';
import type { Item } from '../../wire/types';
import type { Rendering, Run } from '../props';
import { mountTurn } from '../turn/turn_view';

/** Names and strings have colours; each line is highlighted on its own. */
function paint(text: string): readonly Run[] {
  return text
    .split(/("[^"]*"|[a-z]+)/)
    .filter(part => part !== '')
    .map(part => ({
      text: part,
      class: part.startsWith('"') ? 'str' : /^[a-z]/.test(part) ? 'n' : '',
    }));
}

function paints() {
  return vi.fn<NonNullable<Rendering['lines']>>(text => {
    const lines = text.split('\n');
    return Promise.resolve(line => paint(lines[line - 1] ?? ''));
  });
}

function show(items: readonly Item[], lines: Rendering['lines']) {
  const element = document.createElement('div');
  document.body.append(element);
  const store = new SessionStore(SESSION);
  store.apply([snapshot(items, [turn()], session())]);
  const actions = { answerPermission: () => Promise.resolve(), cancel: () => Promise.resolve() };
  const rendering = lines && { lines };
  mountTurn(element, { store, turnId: TURN, host: 'cell', actions, rendering });
  const view = within(element);
  return {
    element,
    store,
    view,
    card: (name: string | RegExp) => view.getByRole('group', { name }),
  };
}

afterEach(() => document.body.replaceChildren());

describe('a diff in colours', () => {
  it('has them within and around the words that changed, and the same text', async () => {
    const plain = await openedCard(show([edit('e')], undefined), /Editing file/);
    const before = [...plain.querySelectorAll('.lines > div > *')].map(line => line.textContent);
    expect(plain.querySelector('.lines :is(.str, .n)')).toBeNull();
    document.body.replaceChildren();

    const lines = paints();
    const card = await openedCard(show([edit('e')], lines), /Editing file/);
    await waitFor(() => expect(card.querySelector('ins .str')).not.toBeNull());
    expect([...card.querySelectorAll('.lines > div > *')].map(line => line.textContent)).toEqual(
      before,
    );
    expect(lines.mock.calls.map(([, path]) => path)).toEqual(['src/clean.py', 'src/clean.py']);
    const marked = card.querySelector('del b');
    expect(words(marked)).toBe('idx');
    expect(marked?.querySelector('.n')?.textContent).toBe('idx');
    expect(words(card.querySelector('del .str'))).toBe('"name"');
  });

  it('has them where its texts begin within the file', async () => {
    const [diff] = edit('e').diffs;
    const diffs = diff === undefined ? [] : [{ ...diff, old_line: 40, new_line: 41 }];
    const card = await openedCard(show([edit('e', { diffs })], paints()), /Editing file/);
    await waitFor(() => expect(card.querySelector('ins .str')).not.toBeNull());
    expect(words(card.querySelector('del .str'))).toBe('"name"');
    expect(card.querySelector('del')?.getAttribute('data-g')).toContain('41');
  });

  it('stays plain where the host says other words, or fails', async () => {
    const wrong = vi.fn(() => Promise.resolve(() => [{ text: 'other words', class: 'k' }]));
    const card = await openedCard(show([edit('e')], wrong), /Editing file/);
    await act(() => Promise.resolve());
    expect(wrong).toHaveBeenCalled();
    expect(card.querySelector('.k')).toBeNull();
    expect(card.textContent).not.toContain('other words');
    document.body.replaceChildren();
    const broken = await openedCard(
      show([edit('e')], () => Promise.reject(new Error('no'))),
      /Editing file/,
    );
    expect(words(broken.querySelector('ins'))).toContain('df.loc[row');
  });

  it('does not ask for very long texts', async () => {
    const lines = paints();
    const long = 'x = 1\n'.repeat(40_000);
    const diff = {
      path: 'a.py',
      old_text: long,
      new_text: `${long}y`,
      is_new_file: false,
      old_line: 1,
      new_line: 1,
    };
    const item = edit('e', { diffs: [{ ...diff, added: 1, removed: 0 }] });
    await openedCard(show([item], lines), /Editing file/);
    expect(lines).not.toHaveBeenCalled();
  });

  it('colours no line of more than 2,000 characters', async () => {
    const text = `a\n${'b '.repeat(1_100)}\n`;
    const diff = {
      path: 'a.py',
      old_text: '',
      new_text: text,
      is_new_file: false,
      old_line: 1,
      new_line: 1,
    };
    const item = edit('e', { diffs: [{ ...diff, added: 2, removed: 0 }] });
    const card = await openedCard(show([item], paints()), /Editing file/);
    await waitFor(() => expect(card.querySelector('ins .n')).not.toBeNull());
    const [short, long] = card.querySelectorAll('ins');
    expect(short?.querySelectorAll('.n')).toHaveLength(1);
    expect(long?.querySelectorAll('.n')).toHaveLength(0);
  });
});

describe('what was read, in colours', () => {
  it('has the text, the numbers, and the colours of each line', async () => {
    const item = tool('r', { output: 'x = "a"\ny = "b"\n', first_line: 12 });
    const card = await openedCard(show([item], paints()), /Reading file/);
    await waitFor(() => expect(card.querySelectorAll('pre .str')).toHaveLength(2));
    const pre = card.querySelector('pre');
    expect([...(pre?.querySelectorAll('.ln') ?? [])].map(words)).toEqual(['12', '13']);
    pre?.querySelectorAll('.ln').forEach(number => number.remove());
    expect(pre?.textContent).toBe('x = "a"\ny = "b"\n');
  });

  it('waits until the text is whole', async () => {
    const lines = paints();
    const item = tool('r', { output: 'x = "a"\n', status: 'in_progress' });
    await openedCard(show([item], lines), /Reading file/);
    expect(lines).not.toHaveBeenCalled();
  });
});
