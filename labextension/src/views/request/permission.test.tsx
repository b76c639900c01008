import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { command, edit, permission, SESSION, turn } from '../../../tests/support/build';
import { draw } from '../../../tests/support/draw';
import { replaced } from '../../../tests/support/events';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Lets the test decide what is in view. */
function stubIntersection(): (seen: boolean) => void {
  const listeners: ((entries: readonly { readonly isIntersecting: boolean }[]) => void)[] = [];
  class Observer {
    constructor(listener: (typeof listeners)[number]) {
      listeners.push(listener);
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  return seen => listeners.forEach(each => each([{ isIntersecting: seen }]));
}

describe('a permission request', () => {
  const asking = command('c', { status: 'pending', permission: permission() });
  const waiting = turn({ status: 'requires_action' });

  it.each([
    ['ada', '', false],
    ['', 'bob', false],
    ['bob', 'bob', false],
    ['ada', 'bob', true],
  ])('sent by %j and seen by %j waits for another: %j', (user, viewer, waits) => {
    const { store, view } = draw([asking], { turn: { ...waiting, user }, viewer });
    expect(store.waitsFor(waiting.turn_id)).toBe(waits ? user : '');
    const card = within(view.getByRole('group', { name: 'Permission request' }));
    expect(card.queryAllByRole('button')).toHaveLength(waits ? 0 : 3);
    expect(card.queryAllByText('Waits for ada, who sent this prompt.')).toHaveLength(waits ? 1 : 0);
  });

  it('offers the options in the words of the agent and sends the one that is clicked', async () => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const { store, view, element } = draw([asking], {
      turn: waiting,
      actions: { answerPermission },
    });
    const card = view.getByRole('group', { name: 'Permission request' });
    expect(card.textContent).toContain('npm test');
    expect(card.textContent).toContain('Run the tests after the change');
    const buttons = within(card).getAllByRole('button');
    expect(buttons.map(each => each.querySelector('bdi')?.textContent)).toEqual([
      'Allow once',
      'Always allow `npm test`',
      'Reject',
    ]);
    expect(element.querySelectorAll('.primary')).toHaveLength(1);
    fireEvent.click(within(card).getByRole('button', { name: 'Reject' }));
    expect(answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'no');
    await waitFor(() => expect(buttons.every(each => each.hasAttribute('disabled'))).toBe(true));
    store.apply([
      replaced(
        command('c', {
          status: 'failed',
          permission: permission({ state: 'rejected', outcome: 'Rejected' }),
        }),
        11,
      ),
    ]);
    await waitFor(() =>
      expect(view.queryByRole('group', { name: 'Permission request' })).toBeNull(),
    );
    expect(view.getByRole('group', { name: /Running command/ }).textContent).toContain('Rejected');
  });

  it('says why an answer failed and can be answered again', async () => {
    const answerPermission = vi.fn(() =>
      Promise.reject(new Error('This was answered in another tab.')),
    );
    const { view } = draw([asking], { turn: waiting, actions: { answerPermission } });
    fireEvent.click(view.getByRole('button', { name: 'Allow once' }));
    await waitFor(() =>
      expect(view.getByRole('alert').textContent).toBe('This was answered in another tab.'),
    );
    expect(view.getByRole('button', { name: 'Allow once' }).hasAttribute('disabled')).toBe(false);
  });

  it('takes the focus from nobody who writes', () => {
    const field = document.createElement('textarea');
    document.body.append(field);
    field.focus();
    draw([asking], { turn: waiting });
    expect(document.activeElement).toBe(field);
  });

  it('leaves the focus where it is', async () => {
    const box = document.createElement('textarea');
    document.body.append(box);
    box.focus();
    const { view } = draw([asking], { turn: waiting });
    await waitFor(() => expect(view.getByText(/^Permission request: /)).not.toBeNull());
    expect(document.activeElement).toBe(box);
  });

  it('takes keys while it has the focus, outside text fields', () => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const { view, element } = draw([asking], { turn: waiting, actions: { answerPermission } });
    const card = view.getByRole('group', { name: 'Permission request' });
    fireEvent.keyDown(document.body, { key: '1' });
    fireEvent.keyDown(element, { key: '1' });
    fireEvent.keyDown(card, { key: '1', ctrlKey: true });
    fireEvent.keyDown(card, { key: '1', repeat: true });
    fireEvent.keyDown(card, { key: '9' });
    const field = document.createElement('input');
    card.append(field);
    fireEvent.keyDown(field, { key: '1' });
    expect(answerPermission).not.toHaveBeenCalled();
    const reached = vi.fn();
    document.addEventListener('keydown', reached);
    fireEvent.keyDown(card, { key: '3' });
    document.removeEventListener('keydown', reached);
    expect(answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'no');
    // The notebook has its own keys.
    expect(reached).not.toHaveBeenCalled();
  });

  it.each([
    ['y', 'once'],
    ['n', 'no'],
  ])('takes %s as at Fix', (key, option) => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const { view } = draw([asking], { turn: waiting, actions: { answerPermission } });
    const card = view.getByRole('group', { name: 'Permission request' });
    fireEvent.keyDown(card, { key, shiftKey: true });
    expect(answerPermission).not.toHaveBeenCalled();
    fireEvent.keyDown(card, { key });
    expect(answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', option);
  });

  it('keeps plain keys from the notebook, and leaves them to its buttons', () => {
    const { view } = draw([asking], { turn: waiting });
    const card = view.getByRole('group', { name: 'Permission request' });
    const button = within(card).getByRole('button', { name: 'Reject' });
    const reached = vi.fn();
    document.addEventListener('keydown', reached);
    const isLeft = (target: Element, key: string, more: KeyboardEventInit = {}) =>
      fireEvent.keyDown(target, { key, ...more });
    const left = ['d', 'x', 'a', 'z', 'Delete', 'Enter', ' ', 'M'].map(key => isLeft(card, key));
    expect(left.every(each => each)).toBe(true);
    expect(isLeft(button, 'Enter')).toBe(true);
    // These keys run the cell, and would press the button, too.
    expect(isLeft(button, 'Enter', { shiftKey: true })).toBe(false);
    expect(isLeft(button, 'Enter', { ctrlKey: true })).toBe(false);
    expect(reached).not.toHaveBeenCalled();
    fireEvent.keyDown(card, { key: 'b', ctrlKey: true });
    expect(reached).toHaveBeenCalledTimes(1);
    document.removeEventListener('keydown', reached);
  });

  it('has the field for the reason in focus, and sends nothing of a composition', async () => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const { view } = draw([asking], { turn: waiting, actions: { answerPermission } });
    const card = view.getByRole('group', { name: 'Permission request' });
    fireEvent.click(within(card).getByText('Say why not'));
    const field = await waitFor(() => within(card).getByRole('textbox', { name: 'Why not' }));
    await waitFor(() => expect(document.activeElement).toBe(field));
    fireEvent.input(field, { target: { value: 'no' } });
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
    fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
    expect(answerPermission).not.toHaveBeenCalled();
    fireEvent.keyDown(field, { key: 'Enter' });
    const why = { remember: null, wider_rule: '', reason: 'no' };
    expect(answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'no', why);
  });

  it('is answered by no key or click before it was half a second in view', async () => {
    vi.useFakeTimers();
    const inView = stubIntersection();
    const answerPermission = vi.fn(() => Promise.resolve());
    const { view } = draw([asking], { turn: waiting, actions: { answerPermission } });
    const card = view.getByRole('group', { name: 'Permission request' });
    const tries = () => {
      fireEvent.click(within(card).getByRole('button', { name: 'Allow once' }));
      fireEvent.keyDown(card, { key: '1' });
    };
    await vi.advanceTimersByTimeAsync(5_000);
    tries();
    inView(true);
    await vi.advanceTimersByTimeAsync(400);
    inView(false);
    await vi.advanceTimersByTimeAsync(5_000);
    inView(true);
    await vi.advanceTimersByTimeAsync(490);
    tries();
    expect(answerPermission).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(30);
    tries();
    expect(answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'once');
  });

  it('says which shortcut leads to it', () => {
    const { element } = draw([asking], {
      turn: waiting,
      actions: { requestShortcut: () => 'Alt+Shift+Y' },
    });
    expect(element.querySelector('.acp-goto')?.textContent).toBe('Alt+Shift+Y to answer by key');
    const none = draw([asking], { turn: waiting });
    expect(none.element.querySelector('.acp-goto')).toBeNull();
  });

  it('numbers no lines of a part whose place in the file is not told', () => {
    const diff = { old_text: 'a\n', new_text: 'b\n', is_new_file: false, added: 1, removed: 1 };
    const draws = (line: number | null) =>
      draw(
        [
          edit('e', {
            status: 'pending',
            permission: permission(),
            path: 'a.py',
            diffs: [{ ...diff, path: 'a.py', old_line: line, new_line: line }],
          }),
        ],
        { turn: waiting },
      ).view.getByRole('region', { name: 'Diff of a.py' });
    expect(draws(null).dataset).toHaveProperty('part');
    document.body.replaceChildren();
    const placed = draws(41);
    expect(placed.dataset).not.toHaveProperty('part');
    expect(placed.querySelector('ins')?.dataset['g']).toContain('41');
  });

  it('names the folder of a command once', () => {
    const { view } = draw([{ ...asking, path: '.', locations: [] }], { turn: waiting });
    const card = view.getByRole('group', { name: 'Permission request' });
    expect(card.textContent).toContain('Folder');
    expect(card.textContent).not.toContain('File');
  });

  it('marks characters that deceive, and names them', () => {
    const { view } = draw([{ ...asking, command: 'rm \u202Etxt.exe' }], { turn: waiting });
    const card = view.getByRole('group', { name: 'Permission request' });
    expect(within(card).getByRole('group', { name: 'Command' }).textContent).toBe(
      'rm U+202Etxt.exe',
    );
    expect(card.textContent).toContain('U+202E right-to-left override');
  });

  it('puts files outside the folder first, in full', () => {
    const diff = {
      old_text: 'a\n',
      new_text: 'b\n',
      is_new_file: false,
      old_line: 1,
      new_line: 1,
      added: 1,
      removed: 1,
    };
    const { view } = draw(
      [
        edit('e', {
          status: 'pending',
          permission: permission(),
          diffs: [{ path: '/etc/hosts', ...diff }],
        }),
      ],
      { turn: waiting },
    );
    const card = view.getByRole('group', { name: 'Permission request' });
    expect(card.querySelector('dl')?.textContent).toMatch(/^Outside the folder\/etc\/hosts/);
  });

  it.each([
    ['sub', 'Folder', 'sub'],
    ['/etc', 'Outside the folder', '/etc'],
    ['', 'Folder', '~/projects/analysis'],
  ])('says where a command would run: %j', (folder, name, shown) => {
    const asked = command('c', { status: 'pending', permission: permission({ folder }) });
    const { view } = draw([asked], { turn: waiting });
    const card = view.getByRole('group', { name: 'Permission request' });
    const names = [...card.querySelectorAll('dt')];
    const row = names.find(each => each.textContent === name);
    expect(row?.nextElementSibling?.textContent).toBe(shown);
    expect(names.filter(each => /folder/i.test(each.textContent))).toHaveLength(1);
  });

  it('shows every field that comes with a command, before and after the answer', () => {
    const details = [
      { name: 'sandbox_permissions', value: 'require_escalated' },
      { name: 'env', value: '{"PATH": "/tmp/\u202eevil"}' },
    ];
    const asked = permission({ details, folder: 'sub' });
    const open = draw([command('c', { status: 'pending', permission: asked })], { turn: waiting });
    const card = open.view.getByRole('group', { name: 'Permission request' });
    const fields = card.querySelector('.acp-fields');
    expect(fields?.textContent).toContain('sandbox_permissionsrequire_escalated');
    expect(fields?.textContent).toContain('env{"PATH": "/tmp/U+202Eevil"}');
    expect(card.textContent).toContain('Caution');

    const settled = permission({ details, folder: 'sub', state: 'allowed', outcome: 'Allowed' });
    const done = draw([command('c', { status: 'failed', permission: settled })]);
    expect(done.element.querySelector('.acp-fields')?.textContent).toContain('Foldersub');
    expect(done.element.querySelector('.acp-fields')?.textContent).toContain('require_escalated');
  });

  it('does not take what a terminal puts out for a part of the request', () => {
    const terminal = {
      terminal_id: 't',
      command: '',
      cwd: '',
      running: true,
      exit_code: null,
      signal: '',
      by: '',
      released: false,
      own: false,
      by_user: false,
      truncated: false,
      can_cancel: false,
    } as const;
    const output = 'Quite harmless';
    const asked = command('c', { status: 'pending', permission: permission(), output, terminal });
    const { view } = draw([asked], { turn: waiting });
    const card = view.getByRole('group', { name: 'Permission request' });
    expect(card.textContent).not.toContain(output);
  });

  it('shows the whole change that is asked for', () => {
    const { view } = draw([edit('e', { status: 'pending', permission: permission() })], {
      turn: waiting,
    });
    const diff = view.getByRole('region', { name: 'Diff of src/clean.py' });
    expect([...diff.querySelectorAll('ins')].map(line => line.textContent)).toEqual([
      'b = df.loc[row, "name"]',
      'd',
    ]);
    expect([...diff.querySelectorAll('del')].map(line => line.textContent)).toEqual([
      'b = df.loc[idx, "name"]',
    ]);
    expect(diff.querySelector('header')?.textContent).toContain('+2 −1');
  });

  it('is allowed only when what is folded was shown', async () => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const value = 'x'.repeat(30_000);
    const many = Array.from({ length: 45 }, (_, n) => ({ name: `f${n}`, value: `${n}` }));
    const details = [{ name: 'env', value }, ...many];
    const asked = command('c', { status: 'pending', permission: permission({ details }) });
    const { view } = draw([asked], { turn: waiting, actions: { answerPermission } });
    const card = within(view.getByRole('group', { name: 'Permission request' }));
    const isLocked = (name: RegExp) => card.getByRole('button', { name }).hasAttribute('disabled');
    await waitFor(() => expect(isLocked(/^Allow once/)).toBe(true));
    expect(isLocked(/^Always allow/)).toBe(true);
    expect(isLocked(/^Reject/)).toBe(false);
    fireEvent.click(card.getByRole('button', { name: /^Allow once/ }));
    expect(answerPermission).not.toHaveBeenCalled();
    expect(card.queryByText('f44')).toBeNull();

    fireEvent.click(card.getByRole('button', { name: 'Show all of it' }));
    await waitFor(() => expect(isLocked(/^Allow once/)).toBe(false));
    expect(card.getByText('f44')).toBeTruthy();
    expect(card.getByText(value)).toBeTruthy();
    expect(card.queryByRole('button', { name: 'Show all of it' })).toBeNull();
    fireEvent.click(card.getByRole('button', { name: /^Allow once/ }));
    expect(answerPermission).toHaveBeenCalledExactlyOnceWith(SESSION, 'r1', 'once');
  });

  it.each([false, true])(
    'folds what an agent calls unchanged unless that is a lie: %s',
    async lie => {
      const lines = Array.from({ length: 40 }, (_, n) => `line ${n}\n`);
      const old_text = lines.join('');
      const new_text = `first\n${old_text}`;
      const diff = {
        ...{ path: 'a.py', old_text, new_text, is_new_file: false, old_line: 1, new_line: 1 },
        ...{ added: 1, removed: 0 },
      };
      const asked = edit('e', {
        status: 'pending',
        permission: permission({ text_differs: lie }),
        diffs: [diff],
      });
      const { view } = draw([asked], { turn: waiting });
      const card = within(view.getByRole('group', { name: 'Permission request' }));
      const isLocked = () =>
        card.getByRole('button', { name: /^Allow once/ }).hasAttribute('disabled');
      await waitFor(() => expect(isLocked()).toBe(lie));
      expect(card.queryByText('line 30')).toBeNull();
      const fold = lie ? /lines that the agent calls unchanged/ : /unchanged lines/;
      expect(card.getByRole('button', { name: fold })).toBeTruthy();
      if (lie) {
        fireEvent.click(card.getByRole('button', { name: 'Show all of it' }));
        await waitFor(() => expect(isLocked()).toBe(false));
        expect(card.getByText('line 30')).toBeTruthy();
      }
    },
  );

  it.each([
    [79, 0],
    [80, 1],
    [6_000, 2],
  ])('shows all %d lines of a new file after %d clicks', async (lines, clicks) => {
    const text = Array.from({ length: lines }, (_, n) => `line ${n}\n`).join('');
    const diff = {
      path: 'new.py',
      old_text: null,
      new_text: text,
      is_new_file: true,
      old_line: 1,
      new_line: 1,
      added: lines,
      removed: 0,
    };
    const asked = edit('e', { status: 'pending', permission: permission(), diffs: [diff] });
    const { view } = draw([asked], { turn: waiting });
    const card = within(view.getByRole('group', { name: 'Permission request' }));
    for (let click = 0; click < clicks; click += 1) {
      const more = await waitFor(() => card.getByRole('button', { name: 'Show all of it' }));
      expect(card.getByRole('button', { name: /^Allow once/ }).hasAttribute('disabled')).toBe(true);
      fireEvent.click(more);
    }
    await waitFor(() =>
      expect(card.getByRole('button', { name: /^Allow once/ }).hasAttribute('disabled')).toBe(
        false,
      ),
    );
    const drawn = view.getByRole('region', { name: 'Diff of new.py' });
    expect(drawn.querySelectorAll('ins')).toHaveLength(lines);
  });

  it('shows long lines whole', () => {
    const line = `${'x'.repeat(5_000)} end`;
    const diff = {
      path: 'a.py',
      old_text: 'a\n',
      new_text: `${line}\n`,
      is_new_file: false,
      old_line: 1,
      new_line: 1,
      added: 1,
      removed: 1,
    };
    const asked = edit('e', { status: 'pending', permission: permission(), diffs: [diff] });
    const { view } = draw([asked], { turn: waiting });
    const drawn = view.getByRole('region', { name: 'Diff of a.py' });
    expect(drawn.querySelector('ins')?.textContent).toBe(line);
  });

  it.each([
    ['curl -H [redacted] https://a.example', true],
    ['curl https://a.example', false],
  ])('says that a secret is in %s: %j', (line, isSecret) => {
    const { view } = draw([{ ...asking, command: line }], { turn: waiting });
    const card = view.getByRole('group', { name: 'Permission request' });
    expect(card.textContent.includes('It contains a secret, which is not shown')).toBe(isSecret);
  });

  it('says what the host found of its files on disk', () => {
    const cautions = [
      'setup.py is protected: it can change what runs later.',
      'a\u202eb leads out.',
    ];
    const asked = command('c', { status: 'pending', permission: permission({ cautions }) });
    const { view } = draw([asked], { turn: waiting });
    const card = within(view.getByRole('group', { name: 'Permission request' }));
    expect(card.getAllByText('Caution').length).toBe(2);
    expect(card.getByText(/setup.py is protected/)).toBeTruthy();
    expect(card.getByText(/U\+202E/)).toBeTruthy();
  });

  it('can only be rejected where it is too large to be shown', () => {
    const asked = command('c', { status: 'pending', permission: permission({ too_large: true }) });
    const { view } = draw([asked], { turn: waiting });
    const card = within(view.getByRole('group', { name: 'Permission request' }));
    expect(card.getByText(/too large to be shown/)).toBeTruthy();
    const enabled = card.getAllByRole('button').filter(each => !each.hasAttribute('disabled'));
    expect(enabled.map(each => each.querySelector('bdi')?.textContent)).toEqual(['Reject']);
  });
});
