import { fireEvent, waitFor, within } from '@testing-library/preact';
import type { BoundFunctions, queries } from '@testing-library/preact';
import { afterEach, expect } from 'vitest';

import { SessionStore } from '../../src/state/store';
import { mountPanel } from '../../src/views';
import type { Actions, Mounted, PanelProps } from '../../src/views';
import type { SessionLife } from '../../src/views/actions';
import type { Item, SessionState, SessionSummary } from '../../src/wire/types';
import { agentEntry, session, SESSION, turn } from './build';
import { snapshot } from './events';

/** A side panel on the page. */
export interface ShownPanel {
  readonly element: HTMLElement;
  readonly props: PanelProps;
  readonly mounted: Mounted<PanelProps>;
  readonly view: BoundFunctions<typeof queries>;
  readonly until: (check: () => void) => Promise<void>;
}

const shown: ShownPanel[] = [];

afterEach(() => {
  shown.splice(0).forEach(({ mounted }) => mounted.dispose());
  document.body.replaceChildren();
});

/** Shows a panel with everything a page can do; taken away after the test. */
export function showPanel(
  over: Partial<PanelProps> = {},
  actions: Partial<Actions> = {},
): ShownPanel {
  const element = document.createElement('div');
  document.body.append(element);
  const props: PanelProps = {
    store: null,
    sessions: [],
    agents: [
      agentEntry({ id: 'claude', name: 'Claude' }),
      agentEntry({ id: 'demo', name: 'Demo' }),
      agentEntry({ id: 'gemini', name: 'Gemini', status: 'broken' }),
      agentEntry({ id: 'goose', name: 'Goose', listed: true }),
    ],
    connection: { state: 'open' },
    failure: null,
    actions: {
      answerPermission: () => Promise.resolve(),
      cancel: () => Promise.resolve(),
      send: () => Promise.resolve(),
      openSession: () => undefined,
      closeSession: () => Promise.resolve(),
      setConfig: () => Promise.resolve(),
      exportSession: () => Promise.resolve(),
      life: lifeOf(),
      ...actions,
    },
    ...over,
  };
  const panel: ShownPanel = {
    element,
    props,
    mounted: mountPanel(element, props),
    view: within(element),
    until: check => waitFor(check, { container: element }),
  };
  shown.push(panel);
  return panel;
}

/** What the newest panel of the test shows. */
export const view = () => newest().view;

export const element = () => newest().element;

export const until = (check: () => void) => newest().until(check);

function newest(): ShownPanel {
  const panel = shown[shown.length - 1];
  if (panel === undefined) {
    throw new Error('The test shows no panel.');
  }
  return panel;
}

export const IDLE = session({ status: 'idle', active_turn_id: null });

/** A session of these items; they are a turn's, which runs where the session does. */
export function storeOf(items: readonly Item[], state: SessionState = session()): SessionStore {
  const store = new SessionStore(SESSION);
  const status = state.active_turn_id === null ? 'done' : 'running';
  store.apply([snapshot(items, items.length === 0 ? [] : [turn({ status })], state)]);
  return store;
}

/** Writes into the message box. */
export function write(text: string): HTMLElement {
  const box = view().getByRole('textbox', { name: 'Message' });
  fireEvent.input(box, { target: { value: text } });
  return box;
}

/** A panel with its list of sessions open. */
export async function showList(
  sessions: SessionSummary[],
  actions: Partial<Actions> = {},
): Promise<ShownPanel> {
  const panel = showPanel({ sessions }, actions);
  await openList(panel);
  return panel;
}

export async function openList({ view, until }: ShownPanel): Promise<void> {
  fireEvent.click(view.getByRole('button', { name: 'Sessions' }));
  await until(() => expect(view.getByRole('heading', { name: 'Sessions' })).toBeTruthy());
}

/** Opens the menu of a session in the list. */
export async function menuOf({ view, until }: ShownPanel, name: string): Promise<HTMLElement> {
  fireEvent.click(view.getByRole('button', { name: `More for ${name}` }));
  await until(() => expect(view.getByRole('menu')).toBeTruthy());
  return view.getByRole('menu');
}

export async function choose(panel: ShownPanel, name: string, item: string): Promise<void> {
  const menu = await menuOf(panel, name);
  fireEvent.click(within(menu).getByRole('menuitem', { name: item }));
}

/** Titles in the list, in order. */
export function titles({ element }: ShownPanel): (string | null)[] {
  return [...element.querySelectorAll('.acp-sessions li[data-session] .t')].map(
    each => each.textContent,
  );
}

/** The same for all: in a list they keep the order that they are given in. */
const LATELY = Date.now() / 1000 - 10;

export function summary(id: string, over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: id,
    title: `Title ${id}`,
    agent_id: 'claude',
    agent_name: 'Claude',
    status: 'idle',
    notebook_path: '',
    waiting: 0,
    background: 0,
    stored: false,
    read_only: '',
    archived: false,
    branched_from: '',
    continues_in: '',
    can: [],
    serves_cells: false,
    is_variant: false,
    updated_at: LATELY,
    ...over,
  };
}

export function lifeOf(over: Partial<SessionLife> = {}): SessionLife {
  return {
    run: () => Promise.resolve(),
    fork: () => Promise.resolve('forked'),
    archive: () => Promise.resolve(''),
    listOfAgent: () => Promise.resolve({ sessions: [], next_cursor: '' }),
    openOfAgent: () => Promise.resolve('opened'),
    ...over,
  };
}
