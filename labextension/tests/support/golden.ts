import { act } from '@testing-library/preact';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { SessionStore } from '../../src/state/store';
import type { Actions } from '../../src/views';
import { parseServerFrame } from '../../src/wire/parse_frame';
import { isRecord } from '../../src/wire/read';
import type { Event, SessionState } from '../../src/wire/types';
import { SESSION } from './build';
import { drawnOf } from './draw';
import type { Drawn } from './draw';

const GOLDEN = join(import.meta.dirname, '../../../tests/golden');

/** Names of the turns in `turns/`. */
export const GOLDEN_TURNS = readdirSync(join(GOLDEN, 'turns')).map(
  file => `turns/${file.replace(/\.json$/, '')}`,
);

/** The events of a golden turn, read as the page reads them. */
export function eventsOf(name: string): readonly Event[] {
  const file: unknown = JSON.parse(readFileSync(join(GOLDEN, `${name}.json`), 'utf8'));
  const events = isRecord(file) ? file.events : [];
  const frame = parseServerFrame(JSON.stringify({ type: 'events', session_id: SESSION, events }));
  if (frame?.type !== 'events' || frame.events.length === 0) {
    throw new Error(`${name} has no events`);
  }
  return frame.events;
}

export interface GoldenOptions {
  /** Event by event, each drawn before the next comes. */
  readonly live?: boolean;
  readonly actions?: Partial<Actions>;
  /** Called after each event that comes live. */
  readonly watch?: (drawn: Drawn) => void;
}

/** A golden turn on the page. */
export function drawGolden(name: string, options: GoldenOptions = {}): Drawn {
  const { live = false, actions = {}, watch } = options;
  const store = new SessionStore(SESSION);
  const events = eventsOf(name);
  const turnId = events.flatMap(event => ('turn' in event ? [event.turn.turn_id] : []))[0] ?? '';
  if (!live) {
    store.apply(events);
    return drawnOf(store, turnId, actions);
  }
  const drawn = drawnOf(store, turnId, actions);
  for (const event of events) {
    void act(() => store.apply([event]));
    watch?.(drawn);
  }
  return drawn;
}

/** The session as a golden turn leaves it. */
export function sessionOf(name: string): SessionState {
  const states = eventsOf(name).flatMap(event => ('session' in event ? [event.session] : []));
  const last = states[states.length - 1];
  if (last === undefined) {
    throw new Error(`${name} has no session`);
  }
  return last;
}
