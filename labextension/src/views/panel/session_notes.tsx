import type { ComponentChildren } from 'preact';

import { IMPORTED, IN_KERNEL, OUTSIDE } from '../../state/session_view';
import { NOTICE } from '../../state/ui';
import type { SessionState, SessionSummary } from '../../wire/types';
import type { Actions } from '../actions';
import { ActionButton, IconButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { useNow, useScene, useValue } from '../scene';

/** Reasons for the failure of a turn whose agent ended. */
const ENDED: readonly (string | undefined)[] = ['agent_died', 'server_restarted'];

interface NotesProps {
  readonly session: SessionState;
  readonly actions: Actions;
  readonly onFailure: (message: string) => void;
}

/** What the user should know about the session before writing a message. */
export function SessionNotes({ session, actions, onFailure }: NotesProps) {
  const { store, t } = useScene();
  const { status, active_turn_id: running, agent_info: agent, session_id: id } = session;
  const { life } = actions;
  if (whyReadOnly(session, t) !== '') {
    return null;
  }
  if (needsLogin(session)) {
    // The login card says what to do, and a restart would only fail again.
    return null;
  }
  if (session.held !== '') {
    return (
      <div class="acp-note" data-tone="info" role="status">
        <Icon name="history" />
        <p>{session.held}</p>
      </div>
    );
  }
  if (session.silent_since !== null && running !== null) {
    return <Silent since={session.silent_since} {...{ session, actions, onFailure }} />;
  }
  if (!session.stored && status !== 'stopped') {
    return null;
  }
  const inKernel = session.agent.startsWith(IN_KERNEL);
  // The host can't start what a cell serves; a session that waits for it goes on by itself.
  const again = life !== undefined && !inKernel && (
    <div class="row acp-again">
      <ActionButton
        run={() => life.run({ name: 'resume_session', session_id: id })}
        onFailure={onFailure}
      >
        {t('Start again')}
      </ActionButton>
    </div>
  );
  // The turn above already says that the agent ended.
  return ENDED.includes([...store.view.turns.values()].pop()?.failure?.reason) ? (
    again || null
  ) : (
    <div class="acp-note" data-tone="info">
      <Icon name="history" />
      <div>
        <p>
          {inKernel
            ? t(
                '%1 is not running. Once its cell has run, your next message starts it again.',
                agent.name,
              )
            : t('%1 is not running. Your next message starts it again.', agent.name)}
        </p>
        {again}
      </div>
    </div>
  );
}

interface CellsElsewhereProps {
  readonly session: SessionState;
  readonly sessions: readonly SessionSummary[];
  readonly actions: Actions;
}

/** Says which session the prompts of the notebook's cells go to, if it is not the one shown. */
export function CellsElsewhere({ session, sessions, actions }: CellsElsewhereProps) {
  const { t } = useScene();
  const path = session.notebook_path;
  const other = sessions.find(
    each => each.serves_cells && each.notebook_path === path && each.agent_id === session.agent,
  );
  if (path === '' || other === undefined || other.session_id === session.session_id) {
    return null;
  }
  const notebook = path.slice(path.lastIndexOf('/') + 1);
  const name = other.title || t('New session');
  return (
    <div class="acp-note" data-tone="info" role="status">
      <Icon name="cell" />
      <div>
        <p>
          {t(
            'New prompts in cells of %1 go to another %2 session: “%3”.',
            notebook,
            other.agent_name,
            name,
          )}
        </p>
        {actions.openSession !== undefined && (
          <div class="row">
            <button
              type="button"
              class="btn small"
              onClick={() => actions.openSession?.(other.session_id)}
            >
              {t('Open it')}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The result of the user's last action on the session; it stays until the next message. */
export function ActionNotice() {
  const { t } = useScene();
  const [words, setWords] = useValue(NOTICE);
  return words === '' ? null : (
    <div class="acp-note" data-tone="info" role="status">
      <Icon name="history" />
      <div>
        <p dir="auto">{words}</p>
      </div>
      <IconButton icon="close" label={t('Close')} onClick={() => setWords('')} />
    </div>
  );
}

function Silent({ since, session, actions, onFailure }: NotesProps & { readonly since: number }) {
  const { t } = useScene();
  const now = useNow(true);
  return (
    <div class="acp-note" data-tone="warn" role="group" aria-label={t('Still waiting')}>
      <Icon name="warning" />
      <div>
        <p role="timer" aria-live="off">
          {t(
            'Still waiting for %1. Nothing came for %2 s.',
            session.agent_info.name,
            Math.max(0, Math.floor(now - since)),
          )}
        </p>
        <div class="row">
          <ActionButton
            run={() => actions.cancel(session.session_id, session.active_turn_id)}
            onFailure={onFailure}
          >
            {t('Stop waiting')}
          </ActionButton>
        </div>
      </div>
    </div>
  );
}

/** Whether the card with the ways to log in is shown. */
export function needsLogin(session: SessionState): boolean {
  return session.needs_login !== '' || session.login !== null;
}

/** Why no message can be written here; empty if it can. */
export function whyReadOnly(
  session: SessionState | null,
  t: ReturnType<typeof useScene>['t'],
): string {
  if (session === null) {
    return '';
  }
  if (session.agent === OUTSIDE && session.read_only === '') {
    return t('%1 runs elsewhere: write to it there.', session.agent_info.name);
  }
  return session.agent === IMPORTED
    ? t('This session was imported from a log. It can be read; it has no agent.')
    : session.read_only;
}

/** Shown instead of the message box if the session is read-only. */
export function ReadOnlyBox({
  words,
  children,
}: {
  readonly words: string;
  readonly children?: ComponentChildren;
}) {
  const { t } = useScene();
  return (
    <div class="acp-box acp-readonly">
      <p class="muted" id="acp-why-read-only">
        <Icon name="lock" small />
        {words}
      </p>
      <textarea
        class="vh"
        aria-label={t('Message')}
        aria-describedby="acp-why-read-only"
        disabled
        rows={1}
      />
      {children}
    </div>
  );
}
