import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { openedCard, words } from '../../tests/support/draw';
import { drawGolden, eventsOf, sessionOf } from '../../tests/support/golden';
import { SessionStore } from '../state/store';
import { mountPanel } from './panel/panel_view';

const BASE = 'http://localhost:8888/user/bob/';

describe('golden turns: what a turn says and makes', () => {
  it('steps are lines with their names, open to read', async () => {
    const { element, view } = drawGolden('turns/steps');
    const lines = [...element.querySelectorAll('.acp-thought > .acp-line')].map(words);
    expect(lines).toEqual([
      expect.stringMatching(/^Planning Implementation/),
      expect.stringMatching(/^Looking at the data/),
      expect.stringMatching(/^Thought/),
    ]);
    fireEvent.click(view.getByRole('button', { name: /Planning/ }));
    await waitFor(() =>
      expect(words(element.querySelector('.acp-thought-text'))).toBe(
        'First the data, then the page.',
      ),
    );
  });

  it('a command that is half done', () => {
    const bar = drawGolden('turns/progress', { live: true }).view.getByRole('progressbar');
    expect(bar.getAttribute('aria-valuenow')).toBe('50');
    expect(words(bar.parentElement)).toBe('50%Running tests...');
    document.body.replaceChildren();
    expect(drawGolden('turns/progress_done').view.queryByRole('progressbar')).toBeNull();
  });

  it('a plan is drawn by its entries, or by its text', async () => {
    const { view, element } = drawGolden('turns/plan_text');
    fireEvent.click(view.getByRole('button', { name: /^Plan/ }));
    await waitFor(() =>
      expect(words(view.getByRole('list', { name: 'Plan' }))).toBe('Next: Read the file'),
    );
    expect(words(element)).not.toContain('Make changes');
  });

  it('a change of mode leaves a line', () => {
    const { element } = drawGolden('turns/mode_line');
    expect(words(element.querySelector('.acp-note'))).toBe(
      'Mode: implementStarting implementation',
    );
  });

  it('the end says what was done and what it took', async () => {
    const { element, view } = drawGolden('turns/done_usage', { live: true });
    await waitFor(() => expect(words(element)).toContain('Task completed successfully'));
    expect(words(element.querySelector('.acp-foot'))).toContain('1.5k tokens (1k in, 500 out)');
    expect(view.queryByRole('status')).toBeNull();
  });

  it('an error ends the turn: nothing runs on, and its message is told', async () => {
    const streamed: string[] = [];
    const { element, view, store } = drawGolden('turns/error', {
      live: true,
      watch: ({ view: now }) => streamed.push(words(now.queryByRole('status'))),
    });
    expect(streamed).toContain('Writing');
    await waitFor(() => expect(words(element)).toContain("I'll help you create"));
    expect(view.queryByRole('status')).toBeNull();
    expect(view.queryByRole('button', { name: 'Stop' })).toBeNull();
    const told = view.getAllByRole('group', { name: 'Error' });
    expect(told).toHaveLength(1);
    expect(words(told[0])).toContain('Too many requests');
    expect(store.view.session?.status).toBe('idle');
  });

  it.each([
    ['cancelled', 'Stopped by you.'],
    ['max_tokens', 'The answer was cut: the model reached its token limit.'],
    ['max_turn_requests', 'The agent stopped: it reached its limit of requests for one turn.'],
    ['refusal', 'The agent refused to continue.'],
    ['moon', 'Ended: moon.'],
    ['budget', 'The agent stopped: its budget is used up.'],
  ])('the stop reason %s has words of its own', (name, said) => {
    const { element } = drawGolden(`turns/stop_${name}`);
    expect(words(element.querySelector('.acp-end'))).toBe(said);
  });

  it('an ordinary end has none', () => {
    for (const name of ['end_turn', 'stop_sequence']) {
      const { element, view } = drawGolden(`turns/stop_${name}`);
      expect(element.querySelector('.acp-end')).toBeNull();
      expect(view.queryByRole('status')).toBeNull();
      document.body.replaceChildren();
    }
  });

  it('a written file is a row with its size', () => {
    const { element } = drawGolden('turns/file_write');
    expect([...element.querySelectorAll('.acp-written')].map(words)).toEqual([
      'Createdoutputs/file.py1.0 kB',
      'Changedoutputs/file.py2.5 MB',
      'Deletedoutputs/old.py',
    ]);
  });

  it('artifacts open, and have a preview where they have one', () => {
    const openFile = vi.fn(async () => {});
    const { card } = drawGolden('turns/artifacts', { actions: { openFile, baseUrl: BASE } });
    const page = within(card('Web app Web Application'));
    expect(page.getByRole('link', { name: 'Preview' }).getAttribute('href')).toBe(
      `${BASE}api/build/sessions/s1/preview`,
    );
    expect(words(card('Web app Web Application'))).toContain('4.1 kB');
    fireEvent.click(page.getByRole('button', { name: 'Open outputs/web/' }));
    expect(openFile).toHaveBeenCalledExactlyOnceWith('outputs/web/', null);
    expect(within(card('CSV sales.csv')).queryByRole('link')).toBeNull();
  });

  it('the ten types of artifacts, each with its icon and name', () => {
    const { element } = drawGolden('turns/artifact_types');
    const cards = [...element.querySelectorAll('.acp-artifact')];
    const icons = cards.map(card => card.querySelector('use')?.getAttribute('href'));
    expect(new Set(icons).size).toBe(10);
    expect(cards.map(card => words(card.querySelector('.muted > span')))).toEqual(
      expect.arrayContaining(['CSV', 'PDF', 'Web app', 'Markdown', 'Code']),
    );
  });

  it('a request shows what it is for', () => {
    const { view } = drawGolden('turns/permission_asked');
    const request = view.getByRole('group', { name: 'Permission request' });
    expect(words(request).split('delete_file')).toHaveLength(2);
    expect(words(within(request).getByRole('group', { name: 'Details' }))).toBe('Delete test.py?');
    expect(within(request).getAllByRole('button').map(words)).toEqual(['Allow1', 'Reject2']);
  });

  it.each([
    ['permission_auto_approved', "Allowed by the agent's own settings"],
    ['permission_answered', 'Allowed once: User approved'],
    ['permission_refused', 'Rejected: Not today'],
  ])('%s says by whom and why', (name, outcome) => {
    const { card, view } = drawGolden(`turns/${name}`);
    expect(words(card(/delete_file/).querySelector('.acp-outcome'))).toBe(outcome);
    expect(view.queryByRole('group', { name: 'Permission request' })).toBeNull();
  });

  it('image, audio, file and link to a file', () => {
    const { element, view } = drawGolden('turns/blocks');
    expect(element.querySelector('img')?.getAttribute('src')).toMatch(/^data:image\/png;base64,/);
    expect(element.querySelector('audio')?.getAttribute('src')).toBe(
      'data:audio/wav;base64,UklGRg==',
    );
    expect(words(view.getByRole('group', { name: 'Resource' }))).toBe('# Notes');
    expect([...element.querySelectorAll('.acp-resource')].map(words)).toContain(
      'file.txttext/plain · 1 kB',
    );
  });

  it('the panel tells model and tools', async () => {
    const name = 'turns/session_details';
    const element = document.createElement('div');
    document.body.append(element);
    const { model, tools, session_id } = sessionOf(name);
    const store = new SessionStore(session_id);
    store.apply(eventsOf(name));
    const mounted = mountPanel(element, {
      store,
      sessions: [],
      agents: [],
      connection: { state: 'open' },
      failure: null,
      actions: { answerPermission: () => Promise.resolve(), cancel: () => Promise.resolve() },
    });
    const details = within(within(element).getByRole('group', { name: 'Session details' }));
    expect([model, tools.length]).not.toContain('');
    fireEvent.click(
      details.getByRole('button', { name: `Model ${model} · ${tools.length} tools` }),
    );
    await waitFor(() =>
      expect(details.getAllByRole('listitem').map(each => each.textContent)).toEqual(tools),
    );
    mounted.dispose();
  });

  it('hooks are closed lines; the one that failed stands out', async () => {
    const { element, view } = drawGolden('turns/hooks');
    const lines = [...element.querySelectorAll<HTMLElement>('.acp-notice')];
    expect(lines.map(line => line.dataset.tone)).toEqual(['info', 'warn']);
    expect(words(lines[1])).toContain('exit code 127');
    expect(words(element)).not.toContain('jq: command not found');
    fireEvent.click(view.getByRole('button', { name: /PreToolUse/ }));
    await waitFor(() => expect(words(element)).toContain('jq: command not found'));
  });

  it('the unchanged run of an edit is folded and opens', async () => {
    const card = await openedCard(drawGolden('turns/edit_unchanged_lines'), /Editing file/);
    const folds = within(card).getAllByRole('button', { name: /unchanged lines$/ });
    const before = card.querySelectorAll('.ctx').length;
    folds.forEach(fold => fireEvent.click(fold, { shiftKey: true }));
    await waitFor(() => expect(card.querySelectorAll('.ctx').length).toBeGreaterThan(before));
    expect(words(card.querySelector('.acp-diff > header'))).toMatch(/\+2 −1/);
  });
});
