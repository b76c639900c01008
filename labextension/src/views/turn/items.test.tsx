import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import {
  artifact,
  fileWrite,
  message,
  notice,
  session,
  thought,
  tool,
  turn,
  TURN,
  turnEnd,
} from '../../../tests/support/build';
import { DONE, draw, words } from '../../../tests/support/draw';
import { replaced } from '../../../tests/support/events';
import type { Artifact, ContentBlockItem } from '../../wire/types';

const BASE = 'http://localhost:8888/user/bob/';

function block(over: Partial<ContentBlockItem>): ContentBlockItem {
  return {
    id: 'b',
    turn_id: TURN,
    parent_id: '',
    kind: 'content_block',
    type: 'other',
    data: '',
    mime_type: '',
    uri: '',
    name: '',
    text: '',
    size: null,
    ...over,
  };
}

describe('an artifact', () => {
  it('is a card that opens the file; without a preview there is no button for it', () => {
    const openFile = vi.fn(async () => {});
    const { card } = draw([artifact('a', { size_bytes: 4100, size: '4.1 kB' })], {
      actions: { openFile, baseUrl: BASE },
    });
    const made = card('CSV Prices');
    expect(words(made)).toBe('PricesCSV4.1 kBoutputs/prices.csvOpen');
    expect(within(made).queryByRole('link')).toBeNull();
    fireEvent.click(within(made).getByRole('button', { name: 'Open outputs/prices.csv' }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('outputs/prices.csv', null);
  });

  it('a relative preview leads to our own server', () => {
    const made = artifact('a', { preview_url: '/api/build/s1/preview' });
    const { view } = draw([made], { actions: { baseUrl: BASE } });
    const link = view.getByRole('link', { name: 'Preview' });
    expect(link.getAttribute('href')).toBe(`${BASE}api/build/s1/preview`);
    expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
  });

  it('a foreign preview is a link that says where it leads', () => {
    const made = artifact('a', { preview_url: 'https://bücher.example/x' });
    const { view } = draw([made], { actions: { baseUrl: BASE } });
    const link = view.getByRole('link');
    expect(words(link)).toBe('https://xn--bcher-kva.example/x');
    expect(link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(view.queryByRole('link', { name: 'Preview' })).toBeNull();
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//evil.example/x',
    '\\\\evil.example/x',
    '../hub/logout',
    '%2e%2e/hub/logout',
    'a/../../x',
    '',
  ])('%j leads nowhere', preview_url => {
    const { view } = draw([artifact('a', { preview_url })], { actions: { baseUrl: BASE } });
    expect(view.queryByRole('link')).toBeNull();
  });

  it.each(['/etc/passwd', '../x.csv', 'a/../../x', '~/x', 'C:\\x', '\\\\host\\x', ''])(
    'offers no file outside the folder: %j',
    path => {
      const { card } = draw([artifact('a', { path })], {
        actions: { openFile: vi.fn(async () => {}) },
      });
      expect(within(card('CSV Prices')).queryByRole('button')).toBeNull();
    },
  );

  it('each of the ten types has an icon of its own, and its name', () => {
    const types: readonly Artifact['type'][] = [
      'web_app',
      'markdown',
      'image',
      'csv',
      'excel',
      'pptx',
      'docx',
      'pdf',
      'code',
      'other',
    ];
    const { element } = draw(types.map(type => artifact(type, { type, type_name: `A ${type}` })));
    const cards = [...element.querySelectorAll('.acp-artifact')];
    const icons = cards.map(card => card.querySelector('use')?.getAttribute('href') ?? '');
    expect(new Set(icons).size).toBe(10);
    for (const icon of icons) {
      expect(document.querySelector(icon), icon).not.toBeNull();
    }
    expect(words(cards[3])).toContain('A csv');
  });

  it('is a stop of the arrow keys', () => {
    const { view, card } = draw([tool('a'), artifact('x')]);
    fireEvent.keyDown(view.getByRole('button', { name: /Reading file/ }), { key: 'ArrowDown' });
    expect(document.activeElement).toBe(card('CSV Prices'));
  });

  it('stays in sight when the turn is done, below the answer', async () => {
    const work = [tool('a'), tool('b'), tool('c'), artifact('x'), message('m', 'Here it is.')];
    const { element, view } = draw([...work, turnEnd({ words: 'Stopped by you.' })], {
      turn: DONE,
    });
    await waitFor(() => expect(words(element)).toContain('Here it is.'));
    const made = view.getByRole('group', { name: 'CSV Prices' });
    expect(made.closest('.acp-worklog')).toBeNull();
    expect(words(element.querySelector('.acp-items'))).toMatch(
      /Here it is\. ?PricesCSV.*Stopped by you\.$/,
    );
    fireEvent.click(view.getByRole('button', { name: /^3 steps/ }));
    await waitFor(() => expect(element.querySelector('.acp-worklog .acp-tool')).not.toBeNull());
    expect(view.getAllByRole('group', { name: 'CSV Prices' })).toHaveLength(1);
  });
});

describe('a written file', () => {
  it('is a row with what was done, the path and its size; the path opens', () => {
    const openFile = vi.fn(async () => {});
    const { element, view } = draw([fileWrite('f')], { actions: { openFile } });
    expect(words(element.querySelector('.acp-written'))).toBe('Createdweb/page.tsx4.1 kB');
    fireEvent.click(view.getByRole('button', { name: 'web/page.tsx' }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('web/page.tsx', null);
  });

  it('says beside it why it could not be opened', async () => {
    const openFile = vi.fn(() => Promise.reject(new Error('This path does not exist.')));
    const { view } = draw([fileWrite('f')], { actions: { openFile } });
    fireEvent.click(view.getByRole('button', { name: 'web/page.tsx' }));
    await waitFor(() =>
      expect(view.getByRole('alert').textContent).toContain('This path does not exist.'),
    );
  });
});

describe('a content block', () => {
  it('audio has a player', () => {
    const { element } = draw([block({ type: 'audio', data: 'UklGRg==', mime_type: 'audio/wav' })]);
    const audio = element.querySelector('audio');
    expect(audio?.controls).toBe(true);
    expect(audio?.getAttribute('src')).toBe('data:audio/wav;base64,UklGRg==');
    expect(words(element.querySelector('figcaption'))).toContain('audio/wav');
  });

  it('the player keeps its controls when it is moved', async () => {
    const { element } = draw([
      block({ type: 'audio', data: 'UklGRg==', mime_type: 'audio/wav' }),
      message('m', 'x'),
    ]);
    const audio = element.querySelector('audio');
    const figure = audio?.parentElement;
    const seen: boolean[] = [];
    const observer = new MutationObserver(() => seen.push(audio?.controls ?? false));
    observer.observe(element, { attributes: true, attributeFilter: ['controls'], subtree: true });
    figure?.parentElement?.append(figure);
    await waitFor(() => expect(seen).toEqual([true]));
    observer.disconnect();
  });

  it.each(['text/html', 'audio/wav;x=<', 'video/mp4', ''])(
    'only audio is played, not %j',
    mime_type => {
      const { element } = draw([block({ type: 'audio', data: 'UklGRg==', mime_type })]);
      expect(element.querySelector('audio')).toBeNull();
    },
  );

  it('a link to a resource shows its size', () => {
    const { element } = draw([
      block({
        type: 'resource_link',
        uri: 'https://example.org/data.csv',
        name: 'data.csv',
        mime_type: 'text/csv',
        size: 12_000,
      }),
    ]);
    expect(words(element.querySelector('.acp-resource'))).toBe('data.csvtext/csv · 12 kB');
  });
});

describe('a step', () => {
  it('is a line with its name, before anything was said', async () => {
    const { element, store } = draw([
      thought('s', '', { title: 'Analysing', open: true, ended_at: null }),
    ]);
    expect(words(element.querySelector('.acp-thought'))).toContain('Analysing');
    store.apply([replaced(thought('s', 'The loop is slow.', { title: 'Analysing' }), 11)]);
    const line = await waitFor(() => {
      const found = element.querySelector('button.acp-line');
      expect(found).not.toBeNull();
      return found;
    });
    // It has ended, and is closed.
    expect(words(line)).toBe('Analysing6s');
    expect(line?.getAttribute('aria-expanded')).toBe('false');
    expect(words(element)).not.toContain('Thought for');
  });
});

describe('a notice', () => {
  it('of a hook is a line whose output opens', async () => {
    const { element, view } = draw([
      notice('n', { title: 'PostToolUse', text: 'formatted', detail: 'formatted\n2 files' }),
    ]);
    expect(words(element.querySelector('.acp-notice'))).toBe('PostToolUseformatted');
    const line = view.getByRole('button', { name: /PostToolUse/ });
    expect(line.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(line);
    await waitFor(() =>
      expect(view.getByRole('group', { name: 'Details' }).textContent).toBe('formatted\n2 files'),
    );
  });

  it('one that failed stands out, by more than its colour', () => {
    const { element } = draw([
      notice('n', {
        severity: 'warning',
        title: 'PreToolUse',
        text: 'Hook failed, exit code 2.',
        detail: 'x',
      }),
    ]);
    const line = element.querySelector<HTMLElement>('.acp-notice');
    expect(line?.dataset.tone).toBe('warn');
    expect(line?.querySelector('use')?.getAttribute('href')).toBe('#acp-i-warning');
    expect(words(line)).toBe('warningPreToolUseHook failed, exit code 2.');
  });

  it('small ones go along with a run of calls, a warning does not', () => {
    const small = notice('n', { title: 'Hook', detail: 'x' });
    const { element } = draw([tool('a'), small, tool('b'), message('m', 'x')]);
    expect(words(element.querySelector('.acp-group > .acp-line'))).toContain('Read 2 files');
    const loud = { ...small, severity: 'warning' as const };
    const other = draw([tool('a'), loud, tool('b')]);
    expect(other.element.querySelector('.acp-group')).toBeNull();
  });
});

describe('the end of a turn', () => {
  it('says what was done, and the tokens', async () => {
    const done = { ...DONE, tokens: 1620, input_tokens: 1500, output_tokens: 120 };
    const end = turnEnd({ summary: 'Made the page.', input_tokens: 1500, output_tokens: 120 });
    const { element } = draw([message('m', 'Ready.'), end], { turn: done });
    await waitFor(() => expect(words(element)).toContain('Made the page.'));
    expect(words(element.querySelector('.acp-foot'))).toContain('1.6k tokens (1.5k in, 120 out)');
  });

  it('gives the words of the stop reason', () => {
    const end = turnEnd({ stop_reason: 'refusal', words: 'The agent refused to continue.' });
    expect(words(draw([end], { turn: DONE }).element)).toContain('The agent refused to continue.');
  });

  it('the footer names a model that nobody can choose', () => {
    const { element } = draw([message('m', 'x')], {
      turn: turn({ ...DONE }),
      session: session({ status: 'idle', active_turn_id: null, model: 'Opus' }),
    });
    expect(words(element.querySelector('.acp-foot'))).toContain('Opus');
  });
});
