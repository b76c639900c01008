import { fireEvent } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../../tests/support/build';
import { IDLE, showPanel, storeOf, until, view, write } from '../../../../tests/support/panel';
import type { SessionStore } from '../../../state/store';
import type { Actions, Mention, MentionSource } from '../../actions';
import type { PanelProps } from '../../props';

const box = () => view().getByRole('textbox', { name: 'Message' });

const VARIABLE: Mention = {
  group: 'variables',
  label: 'cleaned',
  detail: 'list 3',
  word: 'cleaned',
  attachment: { kind: 'variable', label: 'cleaned', notebook: 'nb.ipynb', name: 'cleaned' },
};

const FILE: Mention = {
  group: 'files',
  label: 'src/clean.py',
  detail: '',
  word: 'src/clean.py',
  attachment: { kind: 'file', label: 'clean.py', path: 'src/clean.py' },
};

const SOURCE: MentionSource = {
  find: (_, found) => {
    found([VARIABLE, FILE]);
    return () => undefined;
  },
};

function show(over: Partial<Actions> = {}, more: Partial<PanelProps> = {}): SessionStore {
  const usage = { used: 74_000, size: 100_000, cost_amount: 0.42, cost_currency: 'USD' };
  const store = storeOf([], { ...IDLE, usage });
  showPanel({ store, agents: [], ...more }, { mentions: SOURCE, ...over });
  return store;
}

describe('the composer', () => {
  it('completes @ by groups, with the keys, and sends what was taken', async () => {
    const send = vi.fn(() => Promise.resolve());
    show({ send });
    write('Look at @cl');
    await until(() => expect(view().getAllByRole('option')).toHaveLength(2));
    const groups = view()
      .getAllByRole('group')
      .map(group => group.getAttribute('aria-label'));
    expect(groups).toEqual(expect.arrayContaining(['Variables', 'Files']));
    expect(view().getByRole('option', { name: /cleaned/ }).ariaSelected).toBe('true');
    fireEvent.keyDown(box(), { key: 'ArrowDown' });
    await until(() =>
      expect(box().getAttribute('aria-activedescendant')).toBe(
        view().getByRole('option', { name: /src\/clean.py/ }).id,
      ),
    );
    fireEvent.keyDown(box(), { key: 'Enter' });
    await until(() => expect(view().queryByRole('option')).toBeNull());
    expect(box()).toHaveProperty('value', 'Look at @src/clean.py ');
    expect(view().getByRole('button', { name: 'Remove clean.py' })).toBeTruthy();
    fireEvent.keyDown(box(), { key: 'Enter' });
    await until(() =>
      expect(send).toHaveBeenCalledWith(
        SESSION,
        'Look at @src/clean.py',
        [{ ...FILE.attachment, mention: 'src/clean.py' }],
        [],
      ),
    );
    await until(() => expect(view().queryByRole('list', { name: 'Attachments' })).toBeNull());
  });

  it('attaches what the message mentions, and selects a mention whole to delete it', async () => {
    show({ send: () => Promise.resolve() });
    write('Look at @cl');
    await until(() => expect(view().getAllByRole('option')).toHaveLength(2));
    fireEvent.click(view().getByRole('option', { name: /src\/clean.py/ }));
    const chip = () => view().queryByRole('button', { name: 'Remove clean.py' });
    await until(() => expect(chip()).toBeTruthy());
    const end = 'Look at @src/clean.py'.length;
    const textarea = view().getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
    textarea.setSelectionRange(end, end);
    fireEvent.keyDown(textarea, { key: 'Backspace' });
    expect([textarea.selectionStart, textarea.selectionEnd]).toEqual([8, end]);

    write('Look at @src/clean.p');
    await until(() => expect(chip()).toBeNull());
    write('Look at @src/clean.py');
    await until(() => expect(chip()).toBeTruthy());
    const remove = chip();
    if (remove !== null) {
      fireEvent.click(remove);
    }
    await until(() => expect(textarea.value).toBe('Look at src/clean.py'));
    expect(chip()).toBeNull();
  });

  it('stays on what is chosen when more is found before it', async () => {
    let more: (mentions: readonly Mention[]) => void = () => undefined;
    const slow: MentionSource = {
      find: (query, found) => {
        found([FILE]);
        // The empty session also looks for errors.
        more = query === 'cl' ? found : more;
        return () => undefined;
      },
    };
    show({ mentions: slow });
    write('@cl');
    await until(() => expect(view().getAllByRole('option')).toHaveLength(1));
    more([VARIABLE, FILE]);
    await until(() => expect(view().getAllByRole('option')).toHaveLength(2));
    fireEvent.keyDown(box(), { key: 'Tab' });
    await until(() => expect(box()).toHaveProperty('value', '@src/clean.py '));
  });

  it('keeps what was attached when it could not be sent', async () => {
    const store = show({ send: () => Promise.reject(new Error('Not now.')) });
    store.ui.attachments.add(FILE.attachment);
    await until(() => expect(view().getByRole('list', { name: 'Attachments' })).toBeTruthy());
    fireEvent.click(view().getByRole('button', { name: 'Send' }));
    await until(() => expect(view().getByText('Not now.')).toBeTruthy());
    expect(store.ui.attachments.list).toEqual([FILE.attachment]);
  });

  it('closes the list with Escape, and sends with the key of the settings', async () => {
    const send = vi.fn(() => Promise.resolve());
    show({ send }, { sendKey: 'shift-enter' });
    write('@');
    await until(() => expect(view().getAllByRole('option')).toHaveLength(2));
    fireEvent.keyDown(box(), { key: 'Escape' });
    await until(() => expect(view().queryByRole('option')).toBeNull());
    fireEvent.keyDown(box(), { key: 'Enter' });
    expect(send).not.toHaveBeenCalled();
    fireEvent.keyDown(box(), { key: 'Enter', shiftKey: true });
    await until(() => expect(send).toHaveBeenCalledWith(SESSION, '@', [], []));
  });

  it('offers nothing to attach where the host has nothing', () => {
    show({}, {});
    expect(view().getByRole('button', { name: 'Attach' })).toBeTruthy();
    showPanel({}, { mentions: undefined });
    expect(view().queryByRole('button', { name: 'Attach' })).toBeNull();
  });

  it('tells the numbers behind the ring', async () => {
    show();
    const ring = view().getByRole('button', { name: /^Context used: 74%.*Cost so far: 0.42 USD$/ });
    expect(ring.dataset['level']).toBe('high');
    fireEvent.click(ring);
    const card = await view().findByRole('group', { name: 'Usage' });
    expect(card.textContent).toContain('74% of 100,000 tokens');
    expect(card.textContent).toContain('26,000 tokens');
    fireEvent.keyDown(ring, { key: 'Escape' });
    await until(() => expect(view().queryByRole('group', { name: 'Usage' })).toBeNull());
  });

  it('tells what the session and today used, also of an agent that reports no context', async () => {
    const use = { turns: 2, seconds: 75, calls: 31, tokens: null, costs: [] };
    const costs = [
      { amount: 0.0061, currency: 'USD' },
      { amount: 2, currency: 'EUR' },
    ];
    const today = { turns: 9, seconds: 4000, calls: 1234, tokens: 56_789, costs };
    const usage = vi.fn(() => Promise.resolve({ day: '2026-12-01', today, session: use }));
    showPanel({ store: storeOf([], { ...IDLE, usage: null, use }) }, { usage });
    expect(usage).not.toHaveBeenCalled();
    fireEvent.click(view().getByRole('button', { name: 'Usage' }));
    const rows = () => [...document.querySelectorAll('.acp-usage tr')].map(row => row.textContent);
    expect(rows()[1]).toBe('Turns2…');
    await until(() =>
      expect(rows()).toEqual([
        'This sessionToday',
        'Turns29',
        'Time1m 15s1h 06m',
        'Tool calls311,234',
        'Tokensnot reported56,789',
        'Costnot reported0.0061 USD, 2.00 EUR',
      ]),
    );
  });

  it('says so if what today used cannot be loaded', async () => {
    const use = { turns: 1, seconds: 1, calls: 0, tokens: 5, costs: [] };
    const usage = () => Promise.reject(new Error('gone'));
    showPanel({ store: storeOf([], { ...IDLE, use }) }, { usage });
    fireEvent.click(view().getByRole('button', { name: 'Usage' }));
    await until(() =>
      expect(view().getByRole('status').textContent).toBe("Today's use can't be shown now."),
    );
  });
});
