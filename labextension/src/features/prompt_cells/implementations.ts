import type { Kernel } from '@jupyterlab/services';

const implementations = new WeakMap<Kernel.IKernelConnection, string>();

/** Learns what implements a kernel, as nothing can be awaited before a cell is run. */
export async function learnImplementation(kernel: Kernel.IKernelConnection): Promise<void> {
  implementations.set(kernel, (await kernel.info).implementation);
}

/** What implements a kernel, such as `ipython`; empty while that is not known. */
export function implementationOf(kernel: Kernel.IKernelConnection): string {
  return implementations.get(kernel) ?? '';
}
