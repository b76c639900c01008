import type { Sandbox } from '../../wire/sandbox';

/** What each sandbox is, in a sentence. */
export const SANDBOX_SENTENCES: Record<Sandbox, string> = {
  off: 'The agent’s processes can reach what you can.',
  folder:
    'The agent’s processes can write in the folder, but not its protected files, and can’t read credentials.',
  'read-only':
    'The agent’s processes can’t write in the folder, and can’t read credentials. It has to request every change.',
  copy: 'The agent’s processes work in a copy of the folder, and can’t read credentials.',
};
