import type { Kernel, KernelMessage } from '@jupyterlab/services';

import { isRecord } from '../../wire/read';
import { within } from '../page/within';

/** A variable of a kernel. */
export interface Variable {
  readonly name: string;
  /** Type and size, e.g. `DataFrame 200000 × 6`. */
  readonly type: string;
}

const MAX = 300;

const LIST_MS = 1_500;

const VALUE_MS = 3_000;

const FRESH_MS = 3_000;

const OFFERED_MS = 10_000;

/** What is typed of a provider's name; what could end the text in Python is in none. */
const OFFERED = /^[^\s@'"\\\p{C}]{0,200}$/u;

const KEY = 'acp';

/** For agents, in English. */
const NOT_DESCRIBED =
  'Its value is not described: acp-jupyter is not installed in the environment of this kernel.';

/** An expression's value as base64 of JSON: the kernel answers with its `repr`. */
export const packed = (expression: string): string =>
  `__import__('base64').b64encode(__import__('json').dumps(${expression}).encode()).decode()`;

// Only types that are cheap and safe to measure: reading an attribute may run any code.
const SIZE =
  "(list(map(int, v.shape)) if type(v).__module__.split('.')[0] in " +
  "('numpy', 'pandas', 'polars', 'xarray', 'torch') and isinstance(getattr(v, 'shape', None), tuple) " +
  'else len(v) if type(v) in (list, tuple, dict, set, str, bytes) else None)';

const LIST = packed(
  `[[n, type(v).__name__, ${SIZE}] for n, v in list(globals().items()) ` +
    "if n[:1] != '_' and n not in get_ipython().user_ns_hidden " +
    `and type(v).__name__ not in ('module', 'function', 'type', 'builtin_function_or_method')][-${MAX}:]`,
);

/** The kernel's own description, the same that its prompts and tools use: it knows what is masked. */
const descriptionOf = (name: string): string =>
  packed(`__import__('acp_jupyter.kernel.variables', fromlist=['_']).described_text('${name}')`);

/** Names of other packages: `provider:name`. None where acp-jupyter is not in the kernel. */
const offeredFor = (typed: string): string =>
  packed(
    `__import__('acp_jupyter.kernel.context_providers', fromlist=['_']).offered_names('${typed}')`,
  );

const typeOf = (name: string): string => packed(`type(${name}).__name__`);

/** The variables of Python kernels, read while the kernels are idle. */
export class Variables {
  readonly #known = new WeakMap<Kernel.IKernelConnection, { at: number; list: Variable[] }>();

  /** By what was typed: names of other packages. */
  readonly #offered = new WeakMap<Kernel.IKernelConnection, Map<string, readonly Variable[]>>();

  /** Pending requests, one per kernel: our own request makes the kernel busy, too. */
  readonly #listing = new WeakMap<Kernel.IKernelConnection, Promise<readonly Variable[]>>();

  #describing: Promise<unknown> = Promise.resolve();

  /** The variables that were listed last. */
  known(kernel: Kernel.IKernelConnection): readonly Variable[] {
    return this.#known.get(kernel)?.list ?? [];
  }

  /** The names of other packages that were offered last for what is typed. */
  offered(kernel: Kernel.IKernelConnection, typed: string): readonly Variable[] {
    const lists = [...(this.#offered.get(kernel) ?? [])];
    const fitting = lists.flatMap(([asked, list]) => (typed.startsWith(asked) ? list : []));
    return [...new Map(fitting.map(each => [each.name, each])).values()];
  }

  /** Asks which names of other packages fit what is typed, each once in a while. */
  async offer(kernel: Kernel.IKernelConnection, typed: string): Promise<void> {
    const asked = askedFor(typed);
    const known = this.#offered.get(kernel) ?? new Map<string, Variable[]>();
    this.#offered.set(kernel, known);
    if (known.has(asked) || !OFFERED.test(asked)) {
      return;
    }
    known.set(asked, []);
    await this.#listing.get(kernel);
    const names = listOf(await evaluate(kernel, offeredFor(asked), LIST_MS));
    const list = names.flatMap(name => (typeof name === 'string' ? [{ name, type: '' }] : []));
    known.set(asked, list);
    setTimeout(() => known.delete(asked), OFFERED_MS);
  }

  /** The variables of a kernel, the newest first. */
  async list(kernel: Kernel.IKernelConnection): Promise<readonly Variable[]> {
    const known = this.#known.get(kernel);
    if (known !== undefined && Date.now() - known.at < FRESH_MS) {
      return known.list;
    }
    const listing =
      this.#listing.get(kernel) ?? this.#ask(kernel).finally(() => this.#listing.delete(kernel));
    this.#listing.set(kernel, listing);
    return listing;
  }

  async #ask(kernel: Kernel.IKernelConnection): Promise<readonly Variable[]> {
    const rows = await evaluate(kernel, LIST, LIST_MS);
    if (!Array.isArray(rows)) {
      return this.known(kernel);
    }
    const list = rows.flatMap(row => variableOf(row)).reverse();
    this.#known.set(kernel, { at: Date.now(), list });
    return list;
  }

  /**
   * Type, size and value, without what is masked; `null` if the kernel does not answer in time.
   * Without acp-jupyter in its environment, the type alone: nobody there knows what is masked.
   */
  async describe(kernel: Kernel.IKernelConnection, name: string): Promise<string | null> {
    // Only ever evaluate a name; that of another package is a text for a function.
    const isVariable = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name);
    if (!isVariable && !(name.includes(':') && OFFERED.test(name))) {
      return null;
    }
    await this.#listing.get(kernel);
    const describing = this.#describing.then(async () => {
      const text = await evaluate(kernel, descriptionOf(name), VALUE_MS);
      if (typeof text === 'string' && text !== '') {
        return text;
      }
      if (!isVariable) {
        return null;
      }
      const type = await evaluate(kernel, typeOf(name), VALUE_MS);
      return typeof type === 'string' ? `${name}: ${type}\n${NOT_DESCRIBED}` : null;
    });
    this.#describing = describing;
    return describing;
  }
}

/** Before the colon all providers are asked, and each for its first names. */
function askedFor(typed: string): string {
  return typed.includes(':') ? typed : '';
}

/** The JSON that an expression of a Python kernel makes; `null` if it is busy or not Python. */
export function askPython(
  kernel: Kernel.IKernelConnection,
  expression: string,
  milliseconds: number,
): Promise<unknown> {
  return evaluate(kernel, packed(expression), milliseconds);
}

function variableOf(row: unknown): Variable[] {
  const [name, type, size] = listOf(row);
  if (typeof name !== 'string' || typeof type !== 'string') {
    return [];
  }
  const extent = Array.isArray(size) ? size.map(String).join(' × ') : size;
  const suffix = typeof extent === 'string' || typeof extent === 'number' ? ` ${extent}` : '';
  return [{ name, type: `${type}${suffix}`.slice(0, 60) }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Evaluates an expression silently; `null` if the kernel is busy or not Python. */
async function evaluate(
  kernel: Kernel.IKernelConnection,
  expression: string,
  milliseconds: number,
): Promise<unknown> {
  return kernel.status === 'idle' && (await languageOf(kernel, milliseconds)) === 'python'
    ? valueOf(kernel, expression, milliseconds)
    : null;
}

/** The value of an expression of Python; `null` if the kernel does not answer in time. */
export async function valueOf(
  kernel: Kernel.IKernelConnection,
  expression: string,
  milliseconds: number,
): Promise<unknown> {
  const future = kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false,
    user_expressions: { [KEY]: expression },
  });
  const reply = await within(future.done, milliseconds);
  future.dispose();
  return reply === null ? null : valueIn(reply.content);
}

/** The language of a kernel; empty if it does not say. */
export async function languageOf(
  kernel: Kernel.IKernelConnection,
  milliseconds: number,
): Promise<string> {
  const info = await within(kernel.info, milliseconds);
  return info?.language_info.name ?? '';
}

function valueIn(content: KernelMessage.IExecuteReplyMsg['content']): unknown {
  const value: unknown = 'user_expressions' in content ? content.user_expressions[KEY] : null;
  const data = isRecord(value) && isRecord(value['data']) ? value['data']['text/plain'] : null;
  const written = typeof data === 'string' ? /^'([A-Za-z0-9+/=]*)'$/.exec(data)?.[1] : undefined;
  if (written === undefined) {
    return null;
  }
  try {
    const bytes = Uint8Array.from(atob(written), letter => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
