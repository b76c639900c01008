import type { AnyModel } from '@anywidget/types';

import cards from '../../style/cards.css';
import code from '../../style/code.css';
import diffs from '../../style/diff.css';
import styles from '../../style/index.css';
import type { Client } from '../delivery/client';
import type { Drawable } from '../delivery/live_turn';
import type { SessionStore } from '../state/store';
import { mountTurn } from '../views';
import type { Actions, Mounted, TurnProps } from '../views';
import { openWidgetTurn } from './widget_turn';
import type { WidgetTurn } from './widget_turn';

const STYLE_ID = 'acp-jupyter-style';

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
      queueMicrotask(() => early.splice(0).forEach(message => listener(message)));
    },
    off: (event, listener) => model.off(event, listener),
    send: content => model.send(content),
  });
  return { draw: el => draw(turnOfWidget, el), close: () => turnOfWidget.dispose() };
};

function draw(turnOfWidget: WidgetTurn, el: HTMLElement): () => void {
  injectStyles(el);
  let shown: SessionStore | null = null;
  let mounted: Mounted<TurnProps> | null = null;
  const redraw = () => {
    const turn = turnOfWidget.turn();
    if (turn === null || turnOfWidget.client === null) {
      mounted?.dispose();
      mounted = null;
      el.textContent = turnOfWidget.problem();
    } else if (mounted !== null && turn.store === shown) {
      mounted.update(propsOf(turnOfWidget, turnOfWidget.client, turn));
    } else {
      mounted?.dispose();
      el.textContent = '';
      mounted = mountTurn(el, propsOf(turnOfWidget, turnOfWidget.client, turn));
    }
    shown = turn?.store ?? null;
  };
  const stop = turnOfWidget.watch(redraw);
  redraw();
  return () => {
    stop();
    mounted?.dispose();
  };
}

function propsOf(turnOfWidget: WidgetTurn, client: Client, turn: Drawable): TurnProps {
  return {
    store: turn.store,
    turnId: turnOfWidget.traits.turnId,
    host: 'cell',
    actions: turn.live ? actionsOf(client) : null,
    connection: client.connection,
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
    getChanges: (...asked) => client.changes.file(...asked),
    revertTurn: (turnId, what) => client.changes.revert(turnId, what),
    killTerminal: (sessionId, terminalId) => client.killTerminal(sessionId, terminalId),
    reconnect: () => client.reconnect(),
    // Absent where the page came over plain http.
    ...('clipboard' in navigator
      ? { copy: (text: string) => navigator.clipboard.writeText(text) }
      : {}),
  };
}

/** Once per document, or per shadow root where the widget lives in one. */
function injectStyles(el: HTMLElement): void {
  const root = el.getRootNode();
  const parent = root instanceof ShadowRoot ? root : document.head;
  if (parent.querySelector(`#${STYLE_ID}`) === null) {
    const style = document.createElement('style');
    style.id = STYLE_ID;
    style.textContent = styles + cards + code + diffs;
    parent.append(style);
  }
}
