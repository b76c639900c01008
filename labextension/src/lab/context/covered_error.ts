import type { Kernel } from '@jupyterlab/services';

import type { CellError } from './cells';
import { shortenMiddle } from './shorten_middle';
import { languageOf, packed, valueOf } from './variables';

const WAIT_MS = 3_000;

/** For agents, in English. */
const NOT_SHOWN = "[not shown: the kernel is busy, and can't say which values in it are masked]";

/**
 * The text of an error as it may leave: without the masked values that its kernel has. A kernel that
 * is gone or is not Python masks none, and so does one without acp-jupyter in its environment.
 */
export async function coveredError(
  kernel: Kernel.IKernelConnection | null,
  error: CellError,
): Promise<string> {
  if (kernel === null || kernel.status === 'dead' || kernel.status === 'terminating') {
    return coveredBy(null, error);
  }
  const language = await languageOf(kernel, WAIT_MS);
  return language === 'python' || language === ''
    ? coveredBy(expression => valueOf(kernel, packed(expression), WAIT_MS), error)
    : coveredBy(null, error);
}

/**
 * The same, by what evaluates an expression in the kernel, with `null` for no answer; `null` where
 * nothing is masked.
 */
export async function coveredBy(
  evaluate: ((expression: string) => Promise<unknown>) | null,
  { name, text }: CellError,
): Promise<string> {
  const value = evaluate === null ? text : await evaluate(covered(text));
  if (typeof value === 'string') {
    return shortenMiddle(value);
  }
  return value === false ? shortenMiddle(text) : `${name}: ${NOT_SHOWN}`;
}

/** An expression; its value is `False` where acp-jupyter is not installed. */
function covered(text: string): string {
  const written = `__import__('base64').b64decode('${base64(text)}').decode('utf-8', 'replace')`;
  const cover = `__import__('acp_jupyter.kernel.last_error', fromlist=['_']).covered(${written})`;
  const known = "__import__('importlib.util', fromlist=['_']).find_spec('acp_jupyter')";
  return `${cover} if ${known} else False`;
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}
