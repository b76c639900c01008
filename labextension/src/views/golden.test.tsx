import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';

import { SESSION } from '../../tests/support/build';
import { SessionStore } from '../state/store';
import { parseServerFrame } from '../wire/parse';
import { isRecord } from '../wire/read';
import type { Event } from '../wire/types';
import { mountTurn } from './mount';

const GOLDEN = join(import.meta.dirname, '../../../tests/golden');

function eventsOf(name: string): readonly Event[] {
  const file: unknown = JSON.parse(readFileSync(join(GOLDEN, name), 'utf8'));
  const events = isRecord(file) ? file.events : [];
  const frame = parseServerFrame(JSON.stringify({ type: 'events', session_id: SESSION, events }));
  return frame?.type === 'events' ? frame.events : [];
}

/** The turn after all events, drawn live event by event, or at once at the end. */
function draw(name: string, live: boolean): HTMLElement {
  const element = document.createElement('div');
  document.body.append(element);
  const store = new SessionStore(SESSION);
  const events = eventsOf(name);
  const turnId = events.flatMap(event => ('turn' in event ? [event.turn.turn_id] : []))[0] ?? '';
  const actions = { answerPermission: () => Promise.resolve(), cancel: () => Promise.resolve() };
  const mount = () => mountTurn(element, { store, turnId, host: 'cell', actions });
  if (live) {
    mount();
    events.forEach(event => store.apply([event]));
  } else {
    store.apply(events);
    mount();
  }
  return element;
}

afterEach(() => document.body.replaceChildren());

it.each([true, false])('an asked turn waits for an answer (drawn live: %s)', async live => {
  const view = within(draw('turn_asked.json', live));
  await waitFor(() => expect(view.getByRole('group', { name: 'Permission request' })).toBeTruthy());
  expect(view.getByRole('button', { name: 'Allow once' })).toBeTruthy();
  expect(view.getByRole('status').textContent).toBe('Waiting for your answer');
});

it.each([true, false])('an allowed turn says so at its card (drawn live: %s)', async live => {
  const element = draw('turn_allowed.json', live);
  const log = await waitFor(() => within(element).getByRole('button', { name: /^3 steps/ }));
  fireEvent.click(log);
  const group = await waitFor(() => within(element).getByRole('group', { name: /^Editing file/ }));
  expect(group.textContent).toContain('Allowed once');
  expect(within(element).queryByRole('group', { name: 'Permission request' })).toBeNull();
  expect(within(element).queryByRole('status')).toBeNull();
});

it('a turn whose agent died says so once', async () => {
  const element = draw('turn_died.json', true);
  await waitFor(() =>
    expect(within(element).getAllByRole('group', { name: 'Error' })).toHaveLength(1),
  );
  expect(within(element).queryByRole('button', { name: 'Stop' })).toBeNull();
});
