import { Token } from '@lumino/coreutils';

import type { SessionPanel } from './sessionPanel';

export type IAcpPanel = Pick<
  SessionPanel,
  'attach' | 'drawn' | 'isVisible' | 'newSession' | 'node' | 'sendKey' | 'session' | 'sessionId'
>;
export const IAcpPanel = new Token<IAcpPanel>(
  'acp-jupyter:IAcpPanel',
  'The side panel of agent sessions.',
);
