import { fireEvent, within } from '@testing-library/preact';
import { afterEach, beforeEach } from 'vitest';

import { SessionStore } from '../../src/state/store';
import type { Actions, RevertChoice } from '../../src/views/actions';
import type { Mounted } from '../../src/views/props';
import { mountReview } from '../../src/views/review';
import type { Scope, Source } from '../../src/views/review';
import type { ChangedFile, FileTexts, TurnState } from '../../src/wire/types';
import { file, session, SESSION, turn } from './build';
import { snapshot } from './events';

const OLD = Array.from({ length: 40 }, (_, line) => `line ${line + 1}`);

const NEW = OLD.map((line, index) => (index === 4 || index === 29 ? line.toUpperCase() : line));

/** The two changes of a file that `textsOf` gives. */
export const FIRST = { old_start: 4, old_end: 5, new_start: 4, new_end: 5 };

export const SECOND = { old_start: 29, old_end: 30, new_start: 29, new_end: 30 };

export const CONNECTION = { state: 'open' } as const;

let shown: { readonly element: HTMLElement; readonly mounted: Mounted<never> } | null = null;

beforeEach(() => {
  localStorage.clear();
  Element.prototype.scrollIntoView = () => undefined;
});

afterEach(() => {
  shown?.mounted.dispose();
  shown = null;
  document.body.replaceChildren();
});

/** A turn that is over, and changed these files. */
export function done(turn_id: string, changed: readonly ChangedFile[] | null, over = {}) {
  const changes = changed && {
    files: [...changed],
    left_out: 0,
    unknown_left_out: 0,
    revertible: true,
    words: '',
    checkpoint: 'x',
    made_folders: [],
    already: [],
    put_folders: [],
  };
  return turn({ turn_id, status: 'done', stop_reason: 'end_turn', ended_at: 9, changes, ...over });
}

export function textsOf(path: string): FileTexts {
  const texts =
    path === 'gone.txt'
      ? { old_text: 'x\n', new_text: null }
      : { old_text: OLD.join('\n'), new_text: NEW.join('\n') };
  return { ...file(path), ...texts, too_large: false, edited_cells: [] };
}

/** Sessions with turns whose changes are taken back as the server does. */
export class Reviewed {
  readonly calls: (RevertChoice & { readonly turnId: string })[] = [];
  readonly sources: Source[] = [];
  readonly #turns = new Map<SessionStore, readonly TurnState[]>();
  readonly #actions: Actions;

  constructor(over: Partial<Actions> = {}) {
    this.#actions = {
      answerPermission: () => Promise.resolve(),
      cancel: () => Promise.resolve(),
      getChanges: (_, path) => Promise.resolve(textsOf(path)),
      revertTurn: (turnId, what) => this.#revert(turnId, what),
      ...over,
    };
  }

  /** What is known of a session; again with what came of it. */
  tell(turns: readonly TurnState[], sessionId = SESSION, agent = 'Claude'): void {
    const known = this.sources.find(({ store }) => store.sessionId === sessionId)?.store;
    const store = known ?? this.add(sessionId);
    this.#turns.set(store, turns);
    const agent_info = { id: agent, name: agent, version: '' };
    const state = session({
      session_id: sessionId,
      status: 'idle',
      active_turn_id: null,
      agent_info,
    });
    store.apply([{ ...snapshot([], [...turns], state), session_id: sessionId }]);
  }

  /** A session of which nothing is known yet. */
  add(sessionId = SESSION): SessionStore {
    const store = new SessionStore(sessionId);
    this.sources.push({ store, actions: this.#actions });
    return store;
  }

  show(...scopes: [Scope, ...Scope[]]): HTMLElement {
    const props = { scopes, connection: CONNECTION, failure: null };
    return this.mount((element, sources) => mountReview(element, { ...props, sources }));
  }

  /** Mounts a view of the sessions. */
  mount(
    mount: (element: HTMLElement, sources: readonly [Source, ...Source[]]) => Mounted<never>,
  ): HTMLElement {
    const [first, ...others] = this.sources;
    if (first === undefined) {
      throw new Error('The test has no session.');
    }
    const element = document.createElement('div');
    document.body.append(element);
    shown = { element, mounted: mount(element, [first, ...others]) };
    return element;
  }

  #revert(turnId: string, what: RevertChoice): Promise<void> {
    this.calls.push({ turnId, ...what });
    for (const [store, turns] of this.#turns) {
      const next = turns.map(one =>
        (one.turn_id === turnId || (isWhole(what) && what.earlier?.includes(one.turn_id))) &&
        one.changes !== null
          ? {
              ...one,
              changes: {
                ...one.changes,
                files: one.changes.files.map(each =>
                  one.in_copy ? keptIn(each, what) : without(each, what),
                ),
              },
            }
          : one,
      );
      this.tell(next, store.sessionId, store.view.session?.agent_info.name);
    }
    return Promise.resolve();
  }
}

function without(each: ChangedFile, what: RevertChoice): ChangedFile {
  const hunks = what.hunks?.path === each.path ? what.hunks.hunks : [];
  const undo = what.undo === true;
  const others = each.reverted_hunks.filter(one => !hunks.some(two => same(one, two)));
  const whole = isWhole(what) && (what.paths?.includes(each.path) ?? true);
  const reverted_hunks = undo ? others : [...others, ...hunks];
  return {
    ...each,
    reverted: whole ? !undo : each.reverted,
    reverted_hunks,
    together:
      reverted_hunks.length > 0 || (whole && !undo) ? [...(what.earlier ?? each.together)] : [],
  };
}

/** A file in a copy; `undo` is Keep. */
function keptIn(each: ChangedFile, what: RevertChoice): ChangedFile {
  const keep = what.undo === true;
  if (isWhole(what) && (what.paths?.includes(each.path) ?? true)) {
    return { ...each, reverted: !keep, reverted_hunks: [], kept_hunks: [] };
  }
  const hunks = what.hunks?.path === each.path ? what.hunks.hunks : [];
  const others = each.kept_hunks.filter(one => !hunks.some(two => same(one, two)));
  return { ...each, kept_hunks: keep ? [...others, ...hunks] : others };
}

function isWhole({ hunks }: RevertChoice): boolean {
  return hunks === undefined;
}

function same(one: object, two: object): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

export const view = () => within(shown?.element ?? document.body);

export const group = (name: string) => view().getByRole('group', { name });

export const press = (key: string) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, bubbles: true });

export const focused = () => document.activeElement?.getAttribute('aria-label') ?? '';
