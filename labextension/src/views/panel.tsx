import type { PanelProps } from './props';

/** The side panel: a session with its composer. */
export function PanelView({ store }: PanelProps) {
  return <div class="acp" data-host="panel" data-session={store?.sessionId} />;
}
