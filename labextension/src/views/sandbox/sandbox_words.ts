import type { Sandbox } from '../../wire/sandbox';

/** What each sandbox is, in a sentence. */
export const SANDBOX_SENTENCES: Record<Sandbox, string> = {
  off: 'The agent’s processes can reach what you can.',
  folder:
    'The agent’s processes can write in the folder, but not its protected files, nor read credentials.',
  'read-only': 'The agent’s processes can’t write in the folder, nor read credentials.',
  copy: 'The agent’s processes can write in a copy of the folder, not read credentials.',
};
