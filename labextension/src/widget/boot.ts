import type { InitializeProps, RenderProps } from '@anywidget/types';

import { unpack85 } from './base85';
import type { OpenModel, OpenWidget } from './core';

/**
 * The whole widget, compressed by the build, with its hash.
 *
 * It is sent with each widget's first message and stored in the widget's state,
 * so its size on the wire matters.
 */
declare const PACKED: string;

declare const PACKED_HASH: string;

declare const PACKED_BYTES: number;

/** Most messages kept while the widget is unpacked; the view requests missing ones again. */
const MAX_EARLY = 2_000;

const BLOCKED =
  'acp-jupyter can’t show this here. This page’s policy blocks blob: scripts, or its browser is too old.';

/** Key of the unpacked widget in the page, since every widget loads this file again. */
const KEY = Symbol.for(`acp-jupyter:${PACKED_HASH}`);

interface Core {
  readonly open: OpenModel;
}

async function unpack(): Promise<Core> {
  const bytes = unpack85(PACKED, PACKED_BYTES);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const code = await new Response(plain).blob();
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  try {
    const module: unknown = await import(/* webpackIgnore: true */ url);
    if (isCore(module)) {
      return module;
    }
    throw new Error('acp-jupyter: the widget is damaged; reinstall the package.');
  } finally {
    URL.revokeObjectURL(url);
  }
}

function core(): Promise<Core> {
  const known: unknown = Reflect.get(globalThis, KEY);
  if (isPromise(known)) {
    return known;
  }
  const unpacking = unpack();
  Reflect.set(globalThis, KEY, unpacking);
  return unpacking;
}

/** Creates the anywidget module; called for each model. */
function widget() {
  let opened: OpenWidget | null = null;
  let failure = '';
  return {
    /** Listens to the model at once, since the kernel does not repeat messages. */
    initialize: async ({ model }: InitializeProps) => {
      const early: unknown[] = [];
      const keep = (message: unknown) => {
        if (early.length < MAX_EARLY) {
          early.push(message);
        }
      };
      model.on('msg:custom', keep);
      try {
        const { open } = await core();
        opened = open(model, early);
      } catch (error) {
        failure = `${BLOCKED} ${String(error)}`;
      } finally {
        model.off('msg:custom', keep);
      }
      return () => opened?.close();
    },
    render: ({ el }: RenderProps) => {
      if (opened === null) {
        el.textContent = failure;
      }
      return opened?.draw(el);
    },
  };
}

function isCore(module: unknown): module is Core {
  return typeof module === 'object' && module !== null && 'open' in module;
}

function isPromise(value: unknown): value is Promise<Core> {
  return value instanceof Promise;
}

export default widget;
