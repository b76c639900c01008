import type { AnyModel, InitializeProps, RenderProps } from '@anywidget/types';

import { unpack85 } from './base85';
import type { OpenModel, OpenWidget } from './core';

/**
 * The hash of the widget's code and its size, compressed.
 *
 * This file is sent with each widget's first message and stored in the widget's state, so the code
 * is in a model that all widgets of a kernel share.
 */
declare const PACKED_HASH: string;

declare const PACKED_BYTES: number;

/** Most messages kept while the widget is unpacked; the view requests missing ones again. */
const MAX_EARLY = 2_000;

const BLOCKED =
  'acp-jupyter can’t show this here. This page’s policy blocks blob: scripts, or its browser is too old.';

/** How long a kernel that is asked for the code may take. */
const KERNEL_SECONDS = 60;

const NO_CODE =
  'acp-jupyter can’t show this here: neither the page nor its kernel has the code of the widget. Run the cell again.';

/** Key of the unpacked widget in the page, since every widget loads this file again. */
const KEY = Symbol.for(`acp-jupyter:${PACKED_HASH}`);

interface Core {
  readonly open: OpenModel;
}

async function unpack(packed: string): Promise<Core> {
  const bytes = unpack85(packed, PACKED_BYTES);
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

function blocked(error: unknown): never {
  throw new Error(`${BLOCKED} ${String(error)}`);
}

/** The packed code: the widget's own, that of the model which all share, or the kernel's answer. */
async function packedCode(model: AnyModel): Promise<string> {
  const own: unknown = model.get('_code');
  if (isText(own)) {
    return own;
  }
  try {
    const id = String(model.get('_code_model')).replace(/^IPY_MODEL_/, '');
    const shared = await model.widget_manager.get_model(id);
    const code: unknown = shared.get('code');
    if (isText(code)) {
      return code;
    }
  } catch {
    // A page that knows single widgets only.
  }
  return askKernel(model);
}

function askKernel(model: AnyModel): Promise<string> {
  return new Promise((resolve, reject) => {
    const take = (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'code' in message) {
        end();
        resolve(String(message.code));
      }
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error(NO_CODE));
    }, KERNEL_SECONDS * 1_000);
    const end = () => {
      clearTimeout(timer);
      model.off('msg:custom', take);
    };
    model.on('msg:custom', take);
    model.send({ code: true });
  });
}

function core(model: AnyModel): Promise<Core> {
  const known: unknown = Reflect.get(globalThis, KEY);
  if (isPromise(known)) {
    return known;
  }
  const unpacking = packedCode(model).then(packed => unpack(packed).catch(blocked));
  Reflect.set(globalThis, KEY, unpacking);
  // Another widget may have the code.
  unpacking.catch(() => Reflect.deleteProperty(globalThis, KEY));
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
        const { open } = await core(model);
        opened = open(model, early);
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
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

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isPromise(value: unknown): value is Promise<Core> {
  return value instanceof Promise;
}

export default widget;
