import type { Network, Sandbox } from '../../wire/sandbox';

/** What each sandbox is, in a sentence. */
export const SANDBOX_SENTENCES: Record<Sandbox, string> = {
  off: 'The agent’s processes can reach what you can.',
  folder:
    'The agent’s processes can write in the folder, but not its protected files, nor read credentials.',
  'read-only': 'The agent’s processes can’t write in the folder, nor read credentials.',
  copy: 'The agent’s processes work in a copy of the folder, and can’t read credentials. Your folder changes only when you keep a change.',
};

/** What an agent in a sandbox reaches, in a sentence. */
export const NETWORK_SENTENCES: Record<Network, string> = {
  all: 'The agent reaches what your computer reaches.',
  hosts: 'The agent reaches its model and hosts that are named. You are asked about others.',
  none: 'The agent reaches nothing. One whose model is elsewhere can’t work then.',
};
