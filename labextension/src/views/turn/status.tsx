import { useEffect, useRef } from 'preact/hooks';

import { isTool, pendingRequest } from '../../state/items';
import { agentOf } from '../../state/session_view';
import type { SessionStore } from '../../state/store';
import type { Item, SessionState, TurnState } from '../../wire/types';
import { clock, tokens } from '../i18n';
import type { Translate } from '../i18n';
import { ActionButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { useNow, useScene } from '../scene';

/**
 * Seconds without an event after which the status says what it waits for, and that the user can
 * stop.
 */
const QUIET_SECONDS = 10;

const SILENT_SECONDS = 60;

interface StatusProps {
  readonly turn: TurnState;
  readonly items: readonly Item[];
  /** Whether it has the Stop button, which the panel has in the composer. */
  readonly stop: boolean;
  readonly onFailure?: (message: string) => void;
}

/** The status of a running turn, and for how long it has been running. */
export function StatusLine({ turn, items, stop, onFailure }: StatusProps) {
  const { store, actions, askedBelow, t } = useScene();
  const now = useNow(true);
  const quiet = useQuiet(store, now);
  const { view } = store;
  const waits = isWaiting(turn, items);
  const since = turn.started_at;
  return (
    <div class="acp-status">
      {!waits && <span class="spin" aria-hidden="true" />}
      {/* The announcer tells changes, less often. */}
      <span class="now cut grow" role="status" aria-live="off">
        {statusWords(turn, items, view.session, agentOf(view).name, quiet, t)}
      </span>
      <span class="num" role="timer" aria-live="off">
        {[since === null ? '' : clock(now - since), tokens(turn.tokens, t)]
          .filter(part => part !== '')
          .join(' · ')}
      </span>
      {stop && actions !== null && askedBelow !== true && (
        <ActionButton
          run={() => actions.cancel(store.sessionId, turn.turn_id)}
          onFailure={onFailure}
        >
          <Icon name="stop" />
          {t('Stop')}
        </ActionButton>
      )}
    </div>
  );
}

/** Whether the turn waits for the user's answer. */
function isWaiting(turn: TurnState, items: readonly Item[]): boolean {
  return turn.status === 'requires_action' || items.some(item => pendingRequest(item) !== null);
}

/** The status in words. */
export function statusWords(
  turn: TurnState,
  items: readonly Item[],
  session: SessionState | null,
  agent: string,
  quietSeconds: number,
  t: Translate,
): string {
  if (isWaiting(turn, items)) {
    return t('Waiting for your answer');
  }
  if (session !== null && session.held !== '') {
    return session.held; // the server's text: why the message waits, and how long at most
  }
  if (session?.status === 'starting') {
    return t('Starting %1', agent);
  }
  if (turn.status === 'queued') {
    return t('Queued');
  }
  if (session?.looking === true) {
    return t('Looking at the folder');
  }
  // The newest: a subagent's own call says more than the call it works for.
  const running = items
    .filter(isTool)
    .filter(tool => tool.status === 'in_progress' && !tool.background)
    .pop();
  if (running !== undefined) {
    return running.title;
  }
  if (quietSeconds >= SILENT_SECONDS) {
    return t('No answer for %1m. You can stop the turn.', Math.floor(quietSeconds / 60));
  }
  if (quietSeconds >= QUIET_SECONDS) {
    return t('Waiting for %1', agent);
  }
  const last = items[items.length - 1];
  if (last?.kind === 'agent_message' && last.open) {
    return t('Writing');
  }
  return last?.kind === 'thought' && last.open ? t('Thinking') : t('Waiting for %1', agent);
}

/** Seconds since the last event of this session. */
function useQuiet(store: SessionStore, now: number): number {
  const last = useRef(Date.now() / 1000);
  useEffect(
    () =>
      store.subscribe(() => {
        last.current = Date.now() / 1000;
      }),
    [store],
  );
  return Math.max(0, now - last.current);
}
