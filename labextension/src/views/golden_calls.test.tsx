import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../tests/support/build';
import { drawnOf, openedCard, words } from '../../tests/support/draw';
import type { Drawn } from '../../tests/support/draw';
import { drawGolden, eventsOf } from '../../tests/support/golden';
import { SessionStore } from '../state/store';

function request({ view }: Drawn): HTMLElement {
  return view.getByRole('group', { name: 'Permission request' });
}

/** The icon of a card or a button, if it has one. */
function icon(element: Element | null | undefined): string | null {
  return element?.querySelector('use')?.getAttribute('href') ?? null;
}

describe('a tool call of any agent', () => {
  it('a tool that nobody has heard of shows all of itself before it runs', async () => {
    for (const [name, title] of [
      ['call_never_seen', 'frobnicate_widget'],
      ['call_announced', 'Copying the report'],
    ] as const) {
      const openFile = vi.fn(async () => {});
      const drawn = drawGolden(`turns/${name}`, { actions: { openFile } });
      const card = await openedCard(drawn, new RegExp(title));
      expect(card.dataset.status).toBe('pending');
      expect(words(card.querySelector('.acp-line'))).toContain(title);
      expect(words(card.querySelector('.acp-fields'))).toContain('overwritetrue');
      const places = within(card).getByRole('list', { name: 'Locations' });
      fireEvent.click(within(places).getByRole('button'));
      expect(openFile).toHaveBeenCalledExactlyOnceWith('out/report.txt', 7);
      document.body.replaceChildren();
    }
  });

  it('ten kinds, each with its icon and its name; any other is the tenth', () => {
    const { element } = drawGolden('turns/call_kinds', { live: true });
    const cards = [...element.querySelectorAll<HTMLElement>('.acp-tool')];
    const kinds = cards.map(card => card.dataset.kind);
    const known = cards.slice(0, 10);
    expect(cards).toHaveLength(12);
    expect(new Set(kinds.slice(0, 10)).size).toBe(10);
    expect(new Set(known.map(icon)).size).toBe(10);
    expect(new Set(known.map(card => words(card.querySelector('.t')))).size).toBe(10);
    expect(kinds.slice(10)).toEqual(['other', 'other']);
    expect(cards.slice(9).map(icon)).toEqual(Array(3).fill('#acp-i-other'));
  });

  it('pictures, sounds, a file and a link to one, all of them', async () => {
    const card = await openedCard(drawGolden('turns/call_contents'), /Painting/);
    expect(card.querySelectorAll('img[src^="data:image/png;base64,"]')).toHaveLength(2);
    expect(card.querySelectorAll('audio[src^="data:audio/wav;base64,"]')).toHaveLength(2);
    expect(words(within(card).getByRole('group', { name: 'Resource' }))).toBe('# Notes');
    expect(words(card.querySelector('.acp-resource'))).toContain('data.csv');
    expect(words(card)).toContain('Two pictures and a sound.');
  });

  it('an edit that has no diff yet shows its new text', async () => {
    const card = await openedCard(drawGolden('turns/call_proposed'), /Edit main.py/);
    expect(words(card.querySelector('.acp-fields'))).toContain("print('new')");
    expect(within(card).queryByRole('region')).toBeNull();
  });

  it('long work shows its progress while it runs, each line once', async () => {
    const drawn = drawGolden('turns/call_streamed', { live: true });
    expect(drawn.card(/Baking/).dataset.status).toBe('in_progress');
    const card = await openedCard(drawn, /Baking/);
    const output = within(card).getByRole('group', { name: 'Terminal output' });
    await waitFor(() => expect(words(output)).toBe('Mixing… Heating… Baking…'));
  });

  it.each([
    ['completed', 'copied', 3],
    ['failed', 'reason', 'disk full'],
  ])('a %s call shows its raw output, and what comes later', async (end, key, value) => {
    const events = eventsOf('turns/call_ended');
    const late = events.findIndex(event => JSON.stringify(event).includes('later completed'));
    const store = new SessionStore(SESSION);
    store.apply(events.slice(0, late));
    const drawn = drawnOf(store, 't1', {});
    const name = new RegExp(`Copying, ${end}`);
    // Failed calls are open by themselves.
    const card = end === 'failed' ? drawn.card(name) : await openedCard(drawn, name);
    expect(card.dataset.status).toBe(end);
    expect(within(card).queryByRole('group', { name: 'Raw' })).toBeNull();
    const press = within(card).getByRole('button', { name: 'Raw', pressed: false });
    fireEvent.click(press);
    const raw = await waitFor(() => within(card).getByRole('group', { name: 'Raw' }));
    const sent = (): unknown => JSON.parse(raw.textContent);
    expect(sent()).toMatchObject({ input: { to: '/ws/b' }, output: { [key]: value } });
    expect(words(card)).not.toContain('Told late.');

    store.apply(events.slice(late));
    await waitFor(() => expect(words(card)).toContain('Told late.'));
    expect(sent()).toMatchObject({ input: { to: '/ws/b' }, output: { more: `later ${end}` } });
    expect(sent()).not.toHaveProperty(`output.${key}`);
    expect(card.dataset.status).toBe(end);
    fireEvent.click(within(card).getByRole('button', { name: 'Raw', pressed: true }));
    await waitFor(() => expect(within(card).queryByRole('group', { name: 'Raw' })).toBeNull());
  });

  it('what ends without words is a finished card all the same', () => {
    const { card } = drawGolden('turns/call_few_words');
    const read = card(/Reading a.txt/);
    expect([read.dataset.status, read.dataset.failed]).toEqual(['completed', undefined]);
    expect(words(read.querySelector('.vh'))).toBe('done');
    const edit = card(/Editing a.txt/);
    expect(edit.dataset.status).toBe('failed');
    expect(words(edit.querySelector('.acp-outcome'))).toBe('Rejected');
  });

  it('what was rejected does not look like an error', () => {
    const { card } = drawGolden('turns/call_few_words');
    const edit = card(/Editing a.txt/);
    expect(edit.dataset.failed).toBeUndefined();
    expect(words(edit)).not.toContain('failed');
  });
});

describe('a permission request of any agent', () => {
  it('title, places and input are in the request', () => {
    const drawn = drawGolden('turns/call_asked', { live: true });
    const text = words(request(drawn));
    expect(text).toContain('Demo wants to continue');
    expect(text).toContain('Copying the report');
    expect(text).toContain('out/report.txt');
    expect(text).toContain('overwritetrue');
    expect(drawn.view.getByRole('button', { name: 'Stop' })).toBeTruthy();
  });

  it('each option has its own name, its own answer and the look of its kind', () => {
    const chosen: unknown[] = [];
    const looks = new Set<string | null>();
    for (const name of ['Yes, this time', 'Yes, in this session', 'No', 'No, never']) {
      const answerPermission = vi.fn(() => Promise.resolve());
      const drawn = drawGolden('turns/call_asked', { actions: { answerPermission } });
      const button = within(request(drawn)).getByRole('button', { name });
      looks.add(icon(button));
      fireEvent.click(button);
      chosen.push(answerPermission.mock.calls[0]?.slice(2));
      document.body.replaceChildren();
    }
    expect(chosen).toEqual([['y1'], ['y2'], ['n1'], ['n2']]);
    expect(looks.size).toBe(4);
  });

  it('an option of a kind that nobody knows is a plain button', () => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const drawn = drawGolden('turns/call_asked', { actions: { answerPermission } });
    const button = within(request(drawn)).getByRole('button', { name: 'Ask Ada' });
    expect([icon(button), button.dataset.optionKind]).toEqual([null, undefined]);
    fireEvent.click(button);
    expect(answerPermission.mock.calls[0]?.slice(2)).toEqual(['m']);
  });

  it('a question without options can be dismissed', () => {
    const answerPermission = vi.fn(() => Promise.resolve());
    const drawn = drawGolden('turns/call_asked_without_options', { actions: { answerPermission } });
    const buttons = within(request(drawn)).getAllByRole('button');
    expect(buttons.map(words)).toEqual(['Cancel']);
    buttons.forEach(cancel => fireEvent.click(cancel));
    expect(answerPermission.mock.calls[0]?.slice(2)).toEqual([null]);
  });
});
