import type { Kernel } from '@jupyterlab/services';

import { within } from '../../lab/page/within';
import type { Translate } from '../../views';

const MAGIC = '%%acp';

const COMPLETE_MS = 1_500;

const INSPECT_MS = 3_000;

const MAX_CHARS = 20_000;

/** What each kernel answered last. */
const known = new Map<string, boolean>();

/**
 * Whether a kernel that isn't IPython's has a magic of our name: it then completes it.
 *
 * A busy kernel isn't asked, since it answers when it is free.
 */
export async function knowsMagic(kernel: Kernel.IKernelConnection): Promise<boolean> {
  if (kernel.status !== 'busy' && kernel.status !== 'dead') {
    known.set(kernel.id, await completes(kernel));
  }
  return known.get(kernel.id) ?? false;
}

async function completes(kernel: Kernel.IKernelConnection): Promise<boolean> {
  const code = MAGIC.slice(0, -1);
  const asked = kernel.requestComplete({ code, cursor_pos: code.length });
  const reply = await within(asked, COMPLETE_MS);
  const { content } = reply ?? {};
  return content?.status === 'ok' && content.matches.includes(MAGIC);
}

/** What a kernel says about variables by its own inspection, and why it was not asked. */
export interface KernelWords {
  readonly variables: { [name: string]: string };
  /** Why the kernel can't be asked now, for the user; empty if it can. */
  readonly unknown: string;
}

/** Asks a kernel about names; those that it knows nothing about are left out. */
export async function askKernel(
  kernel: Kernel.IKernelConnection | null,
  names: readonly string[],
  t: Translate,
): Promise<KernelWords> {
  if (kernel === null || kernel.status === 'dead') {
    return { variables: {}, unknown: t('No kernel runs, so the agent can’t use its variables.') };
  }
  if (kernel.status === 'busy') {
    const unknown = t('The kernel is busy, so the agent can’t use its variables until it is free.');
    return { variables: {}, unknown };
  }
  const variables: { [name: string]: string } = {};
  for (const name of names) {
    const asked = kernel.requestInspect({ code: name, cursor_pos: name.length, detail_level: 0 });
    const reply = await within(asked, INSPECT_MS);
    if (reply === null) {
      break; // it hangs or is busy now
    }
    const { content } = reply;
    const words = content.status === 'ok' && content.found ? content.data['text/plain'] : '';
    if (typeof words === 'string' && words !== '') {
      variables[name] = words.slice(0, MAX_CHARS);
    }
  }
  return { variables, unknown: '' };
}
