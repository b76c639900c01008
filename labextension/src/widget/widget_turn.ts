import { Client } from '../delivery/client';
import { expireTurn, LiveTurn } from '../delivery/live_turn';
import type { Drawable } from '../delivery/live_turn';
import { currentTurn } from '../state/session_view';
import { API_VERSION } from '../wire/types';
import { CommTransport, readTraits } from './comm';
import type { Model, Traits } from './comm';

/** The turn of a widget's model: opened once, drawn by any number of views. */
export interface WidgetTurn {
  readonly traits: Traits;
  /** `null` if the host can't be reached. */
  readonly client: Client | null;
  /** Why there is no turn to draw, if known. */
  problem(): string;
  /** The finished turn as Markdown, for a page that has no kernel; empty elsewhere. */
  words(): string;
  turn(): Drawable | null;
  /** Whether a cell asks in text instead of the buttons. */
  askedBelow(): boolean;
  /** Reports that a view is in the page. */
  shown(): void;
  /** Calls back when the turn or the connection changes. */
  watch(listener: () => void): () => void;
  dispose(): void;
}

/**
 * Connects a model to its host at once, since a comm sends nothing twice. `server` is the client of
 * the page's Jupyter server.
 */
export function openWidgetTurn(model: Model, server: () => Client | null): WidgetTurn {
  const traits = readTraits(model);
  if (traits.apiVersion !== API_VERSION) {
    return noTurn(
      traits,
      'This output was made by another version of acp-jupyter. Run the cell again.',
    );
  }
  if (traits.mode === 'comm') {
    return turnOverComm(model, traits);
  }
  model.send({ open: true }); // so the kernel knows that the page has this module
  const client = server();
  if (client === null) {
    return noTurn(
      traits,
      'This page can’t reach the Jupyter server that runs the turn. Open the notebook in JupyterLab to see it live.',
    );
  }
  return traits.turnId === '' ? sessionOfServer(client, traits) : turnOfServer(client, traits);
}

const KERNEL_GONE =
  'The kernel was restarted or has ended, and its agents with it. The turn has ended; its open questions were not answered.';

/** Longest time until a kernel that has the turn sends something. */
const SILENT_MS = 5_000;

const KERNEL_SILENT =
  'The kernel does not send this turn. If it was restarted since, the turn has ended with it: run the cell again.';

function turnOverComm(model: Model, traits: Traits): WidgetTurn {
  let isShown = false;
  let isCalled = false;
  let problem = '';
  const answerCall = () => {
    if (isCalled && isShown) {
      isCalled = false;
      model.send({ shown: true });
    }
  };
  const onCall = () => {
    isCalled = true;
    answerCall();
  };
  const client: Client = new Client(new CommTransport(model, () => client.resync(), onCall));
  // The comm belongs to this turn's own widget, so no cell has to be confirmed.
  const following = client.follow(traits.sessionId);
  let drawable: Drawable = { store: following.store, live: true };
  const listeners = new Set<() => void>();
  const onAsked = () => notify(listeners);
  const onGone = () => {
    const turnId = traits.turnId || currentTurn(following.store.view);
    expireTurn(following.store, turnId, KERNEL_GONE, 'Expired: kernel restarted');
    drawable = { store: following.store, live: false };
    client.dispose();
    notify(listeners);
  };
  model.on('change:asked_below', onAsked);
  model.on('comm_live_update', onGone);
  // A widget that was saved with its notebook is drawn without the kernel that had it.
  const silent = setTimeout(() => {
    problem = KERNEL_SILENT;
    notify(listeners);
  }, SILENT_MS);
  const stops = [
    client.snapshotTaken.add(() => notify(listeners)),
    client.connectionChanged.add(() => notify(listeners)),
  ];
  return {
    traits,
    client,
    problem: () => problem,
    words: () => {
      const words = model.get('words');
      return typeof words === 'string' ? words : '';
    },
    turn: () => (following.store.view.seq === null ? null : drawable),
    askedBelow: () => model.get('asked_below') === true,
    shown: () => {
      isShown = true;
      answerCall();
    },
    watch: listener => watch(listeners, listener),
    dispose: () => {
      clearTimeout(silent);
      for (const stop of stops) {
        stop();
      }
      model.off('change:asked_below', onAsked);
      model.off('comm_live_update', onGone);
      following.dispose();
      client.dispose();
    },
  };
}

/**
 * A session, whichever of its turns is drawn. Like the panel, it belongs to the user of this page.
 */
function sessionOfServer(client: Client, traits: Traits): WidgetTurn {
  const following = client.follow(traits.sessionId);
  let problem = '';
  const listeners = new Set<() => void>();
  const stops = [
    client.snapshotTaken.add(() => notify(listeners)),
    client.connectionChanged.add(() => notify(listeners)),
    client.refused.add(({ sessionId, error }) => {
      if (sessionId === traits.sessionId) {
        problem = error.message;
        notify(listeners);
      }
    }),
  ];
  return {
    traits,
    client,
    problem: () => problem || whyLost(client),
    words: () => '',
    turn: () =>
      following.store.view.seq === null ? null : { store: following.store, live: problem === '' },
    askedBelow: () => false,
    shown: () => undefined,
    watch: listener => watch(listeners, listener),
    dispose: () => {
      for (const stop of stops) {
        stop();
      }
      following.dispose();
    },
  };
}

function turnOfServer(client: Client, traits: Traits): WidgetTurn {
  let turn: Drawable | null = null;
  const listeners = new Set<() => void>();
  const live = new LiveTurn(client, traits, next => {
    turn = next ?? turn;
    notify(listeners);
  });
  const stop = client.connectionChanged.add(() => notify(listeners));
  return {
    traits,
    client,
    problem: () => whyLost(client) || live.refusal,
    words: () => '',
    turn: () => turn,
    askedBelow: () => false,
    shown: () => undefined,
    watch: listener => watch(listeners, listener),
    dispose: () => {
      stop();
      live.dispose();
    },
  };
}

const NO_CONNECTION =
  'This page has no connection to the Jupyter server that runs the turn, so it is not shown live. The turn goes on there, and its result will be saved here. If other pages show it, something blocks WebSockets here.';

function whyLost({ connection }: Client): string {
  return connection.state === 'lost' ? (connection.failure?.message ?? NO_CONNECTION) : '';
}

function noTurn(traits: Traits, problem: string): WidgetTurn {
  return {
    traits,
    client: null,
    problem: () => problem,
    words: () => '',
    turn: () => null,
    askedBelow: () => false,
    shown: () => undefined,
    watch: () => () => undefined,
    dispose: () => undefined,
  };
}

function watch(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function notify(listeners: ReadonlySet<() => void>): void {
  for (const listener of [...listeners]) {
    listener();
  }
}
