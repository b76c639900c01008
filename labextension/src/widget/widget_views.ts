import type { Client } from '../delivery/client';
import type { Drawable } from '../delivery/live_turn';
import type { SessionStore } from '../state/store';
import type { Actions, Mounted, PartProps } from '../views';
import { commandActions } from '../views/command_actions';
import type { Model } from './comm';
import { OwnStores } from './own_stores';
import type { DraftModel } from './own_stores';
import { openWidgetTurn } from './widget_turn';

export type WidgetModel = Model & DraftModel;

/** A widget's model with its views, in any number of places. */
export interface WidgetViews {
  /** Returns a function that removes the view. */
  draw(place: HTMLElement): () => void;
  /** Reports that a view is in the page. */
  shown(): void;
  close(): void;
}

/** The drawing code, which a page may load later. */
export interface WidgetRenderer {
  /** The client of the Jupyter server; `null` if none can be reached. */
  client(): Client | null;
  mountPart(place: HTMLElement, props: PartProps): Mounted<PartProps>;
  mountWords(place: HTMLElement, words: string): void;
}

export function openWidgetViews(model: WidgetModel, drawing: WidgetRenderer): WidgetViews {
  const turnOfWidget = openWidgetTurn(model, () => drawing.client());
  const stores = new OwnStores(model, turnOfWidget.traits.part);
  const { part, turnId } = turnOfWidget.traits;
  const propsOf = (client: Client, turn: Drawable): PartProps => ({
    store: stores.of(turn.store),
    part,
    turnId,
    actions: turn.live ? clientActions(client) : null,
    askedBelow: turnOfWidget.askedBelow(),
    ...(turn.live ? { connection: client.connection } : {}),
    sendKey: client.sendKey,
  });
  const draw = (place: HTMLElement) => {
    let shown: SessionStore | null = null;
    let mounted: Mounted<PartProps> | null = null;
    const redraw = () => {
      const turn = turnOfWidget.turn();
      if (turn === null || turnOfWidget.client === null) {
        mounted?.dispose();
        mounted = null;
        place.textContent = turnOfWidget.problem();
        const words = turnOfWidget.words();
        if (words !== '' && place.textContent === '') {
          drawing.mountWords(place, words);
        }
      } else if (mounted !== null && turn.store === shown) {
        mounted.update(propsOf(turnOfWidget.client, turn));
      } else {
        mounted?.dispose();
        place.textContent = '';
        mounted = drawing.mountPart(place, propsOf(turnOfWidget.client, turn));
      }
      shown = turn?.store ?? null;
    };
    const stop = turnOfWidget.watch(redraw);
    redraw();
    return () => {
      stop();
      mounted?.dispose();
    };
  };
  return {
    draw,
    shown: () => turnOfWidget.shown(),
    close: () => {
      stores.dispose();
      turnOfWidget.dispose();
    },
  };
}

/** The actions of a page that has a client and nothing of JupyterLab. */
export function clientActions(client: Client): Actions {
  return {
    ...commandActions(client.run),
    send: async (session_id, prompt) => {
      await client.run({ name: 'prompt', session_id, prompt });
    },
    loadItems: async (...asked) => {
      await client.loadItems(...asked);
    },
    reconnect: () => client.reconnect(),
    // Absent if the page was loaded over plain http.
    ...('clipboard' in navigator
      ? { copy: (text: string) => navigator.clipboard.writeText(text) }
      : {}),
  };
}
