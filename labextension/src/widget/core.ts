import type { AnyModel } from '@anywidget/types';

import type { Client } from '../delivery/client';
import type { Drawable } from '../delivery/live_turn';
import type { SessionStore } from '../state/store';
import { mountPart, mountWords } from '../views';
import type { Actions, Mounted, PartProps } from '../views';
import { OwnStores } from './own_stores';
import { matchPage, placeIn } from './page_look';
import { announceStatus } from './seen_status';
import { openWidgetTurn } from './widget_turn';
import type { WidgetTurn } from './widget_turn';

/** A widget's model, connected to its host; any number of views can be drawn. */
export interface OpenWidget {
  /** Returns a function that removes the view. */
  draw(el: HTMLElement): () => void;
  close(): void;
}

/** What the boot code calls once per model; `early` is what the model has received so far. */
export type OpenModel = (model: AnyModel, early: unknown[]) => OpenWidget;

export const open: OpenModel = (model, early) => {
  const turnOfWidget = openWidgetTurn({
    get: (name): unknown => model.get(name),
    on: (event, listener) => {
      model.on(event, listener);
      if (event === 'msg:custom') {
        queueMicrotask(() => early.splice(0).forEach(message => listener(message)));
      }
    },
    off: (event, listener) => model.off(event, listener),
    send: content => model.send(content),
  });
  const stores = new OwnStores(model, turnOfWidget.traits.part);
  const forget = announceStatus(model);
  return {
    draw: el => draw(turnOfWidget, stores, el),
    close: () => {
      forget();
      stores.dispose();
      turnOfWidget.dispose();
    },
  };
};

function draw(turnOfWidget: WidgetTurn, stores: OwnStores, el: HTMLElement): () => void {
  const place = placeIn(el);
  const leave = matchPage(place, () => turnOfWidget.shown());
  const { part, turnId } = turnOfWidget.traits;
  let shown: SessionStore | null = null;
  let mounted: Mounted<PartProps> | null = null;
  const propsOf = (client: Client, turn: Drawable): PartProps => ({
    store: stores.of(turn.store),
    part,
    turnId,
    actions: turn.live ? actionsOf(client) : null,
    askedBelow: turnOfWidget.askedBelow(),
    ...(turn.live ? { connection: client.connection } : {}),
    sendKey: client.sendKey,
  });
  const redraw = () => {
    const turn = turnOfWidget.turn();
    if (turn === null || turnOfWidget.client === null) {
      mounted?.dispose();
      mounted = null;
      place.textContent = turnOfWidget.problem();
      const words = turnOfWidget.words();
      if (words !== '' && place.textContent === '') {
        mountWords(place, words);
      }
    } else if (mounted !== null && turn.store === shown) {
      mounted.update(propsOf(turnOfWidget.client, turn));
    } else {
      mounted?.dispose();
      place.textContent = '';
      mounted = mountPart(place, propsOf(turnOfWidget.client, turn));
    }
    shown = turn?.store ?? null;
  };
  const stop = turnOfWidget.watch(redraw);
  redraw();
  return () => {
    stop();
    leave();
    mounted?.dispose();
  };
}

function actionsOf(client: Client): Actions {
  return {
    answerPermission: (sessionId, requestId, optionId, more) =>
      client.answerPermission(sessionId, requestId, optionId, more),
    trustFolder: (sessionId, requestId, trust) =>
      client.permissions.trust(sessionId, requestId, trust),
    answerElicitation: (sessionId, requestId, answer) =>
      client.answerElicitation(sessionId, requestId, answer),
    cancel: (sessionId, turnId) => client.cancel(sessionId, turnId),
    setConfig: (sessionId, change) => client.setConfig(sessionId, change),
    send: async (sessionId, text) => {
      await client.send(sessionId, text);
    },
    removeQueued: (sessionId, turnId) => client.cancel(sessionId, turnId),
    editQueued: (turnId, text) => client.editQueued(turnId, text),
    sendNow: turnId => client.sendNow(turnId),
    steer: turnId => client.steer(turnId),
    loadItems: async (...asked) => {
      await client.loadItems(...asked);
    },
    getChanges: (...asked) => client.changes.file(...asked),
    revertTurn: (turnId, what) => client.changes.revert(turnId, what),
    killTerminal: (sessionId, terminalId) => client.killTerminal(sessionId, terminalId),
    cancelToolCall: (...asked) => client.life.cancelToolCall(...asked),
    reconnect: () => client.reconnect(),
    // Absent where the page came over plain http.
    ...('clipboard' in navigator
      ? { copy: (text: string) => navigator.clipboard.writeText(text) }
      : {}),
  };
}
