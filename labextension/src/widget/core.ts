import type { AnyModel } from '@anywidget/types';

import { Client } from '../delivery/client';
import { pageBaseUrl, readPageKey } from '../delivery/page_key';
import { cookieAccess, PageTransport } from '../delivery/transport';
import { mountPart, mountWords } from '../views';
import { openWidgetViews } from './widget_views';
import { findPageCode } from './page_code';
import { applyPageStyle, renderRoot } from './page_style';
import { announceStatus } from './seen_status';

/** A widget's model, connected to its host; any number of views can be drawn. */
export interface OpenWidget {
  /** Returns a function that removes the view. */
  draw(el: HTMLElement): () => void;
  close(): void;
}

/** Called by the boot code once per model; `early` has the messages received so far. */
export type OpenModel = (model: AnyModel, early: unknown[]) => OpenWidget;

const openHere = (model: Parameters<typeof openWidgetViews>[0]) =>
  openWidgetViews(model, { client: ownClient, mountPart, mountWords });

export const open: OpenModel = (model, early) => {
  const inServer = model.get('mode') !== 'comm';
  const openModel = (inServer ? findPageCode() : null) ?? openHere;
  const drawn = openModel({
    get: (name): unknown => model.get(name),
    set: (name, value) => model.set(name, value),
    save_changes: () => model.save_changes(),
    on: (event: string, listener: (message: unknown) => void) => {
      model.on(event, listener);
      if (event === 'msg:custom') {
        queueMicrotask(() => early.splice(0).forEach(message => listener(message)));
      }
    },
    off: (event: string, listener: (message: unknown) => void) => model.off(event, listener),
    send: content => model.send(content),
  });
  const forget = announceStatus(model);
  return {
    draw: el => {
      const place = renderRoot(el);
      const leave = applyPageStyle(place, () => drawn.shown());
      const erase = drawn.draw(place);
      return () => {
        leave();
        erase();
      };
    },
    close: () => {
      forget();
      drawn.close();
    },
  };
};

let own: Client | null = null;

/** The client of the widgets in a page without the extension. */
function ownClient(): Client | null {
  const base = pageBaseUrl();
  if (own === null && base !== null) {
    own = new Client(new PageTransport(cookieAccess(base), readPageKey()));
  }
  return own;
}
