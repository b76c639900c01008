import { expect, test } from 'vitest';

import { snapshot } from '../../tests/support/fake_socket';
import { turn } from '../../tests/support/build';
import { SessionStore } from '../state/store';
import { announceEnd } from './announce_end';
import type { WidgetTurn } from './widget_turn';

/** A model whose trait `ended` a page may set. */
class FakeModel {
  saved = 0;
  constructor(public ended: string | null) {}
  get(): unknown {
    return this.ended;
  }
  set(_name: string, value: string): void {
    this.ended = value;
  }
  save_changes(): void {
    this.saved += 1;
  }
}

/** The end of a turn, as a page hears of it after the widget was opened. */
function endOfTurn(model: FakeModel): void {
  const store = new SessionStore('a');
  const watching: (() => void)[] = [];
  let drawn: SessionStore | null = null;
  const widgetTurn: Pick<WidgetTurn, 'traits' | 'turn' | 'watch'> = {
    traits: {
      part: 'turn',
      turnId: 't1',
      sessionId: 'a',
      mode: 'comm',
      apiVersion: 1,
      notebookPath: '',
      cellId: '',
    },
    turn: () => (drawn === null ? null : { store: drawn, live: true }),
    watch: listener => {
      watching.push(listener);
      return () => undefined;
    },
  };
  const stop = announceEnd(model, widgetTurn);
  store.apply([snapshot('a', 1)]);
  drawn = store;
  watching.forEach(listener => listener());
  expect(model.saved).toBe(0);
  const ended = turn({ turn_id: 't1', session_id: 'a', status: 'done' });
  store.apply([{ kind: 'turn_ended', session_id: 'a', seq: 2, turn: ended }]);
  store.apply([{ kind: 'turn_ended', session_id: 'a', seq: 3, turn: ended }]);
  stop();
}

test('the end of the turn is written once', () => {
  const model = new FakeModel('');
  endOfTurn(model);
  expect(model.ended).toBe('t1');
  expect(model.saved).toBe(1);
});

test('nothing is written where the kernel does not want it', () => {
  const model = new FakeModel(null);
  endOfTurn(model);
  expect(model.ended).toBeNull();
  expect(model.saved).toBe(0);
});
