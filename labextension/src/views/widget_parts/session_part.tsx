import { useCallback } from 'preact/hooks';

import { agentOf, titleOf } from '../../state/session_view';
import { Icon } from '../parts/icons';
import { AllowAll } from '../parts/buttons';
import { ConnectionNote } from '../parts/notes';
import { Visible } from '../parts/odd_characters';
import { WallsBadge, WallsNote } from '../sandbox/walls';
import { Composer } from '../panel/composer/composer';
import { needsLogin, ReadOnlyBox, SessionNotes, whyReadOnly } from '../panel/session_notes';
import { RunningTurn, Transcript } from '../panel/transcript/transcript';
import type { PartProps } from '../props';
import { useScene, useSubscription } from '../scene';

interface SessionPartProps extends PartProps {
  readonly onFailure: (message: string) => void;
}

/** A session with its message box, or the box alone. */
export function SessionPart(props: SessionPartProps) {
  const { store, part, actions, connection, sendKey, onFailure } = props;
  const { t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const { session } = store.view;
  if (session === null || actions === null) {
    return null;
  }
  const readOnly = whyReadOnly(session, t);
  const notes = <SessionNotes session={session} actions={actions} onFailure={onFailure} />;
  const login = needsLogin(session) && (
    <div class="acp-note" data-tone="warn" role="status">
      <Icon name="lock" />
      <p>{t('%1 needs a login: open the session in the panel.', session.agent_info.name)}</p>
    </div>
  );
  const box = (
    <div class="acp-compose" data-lm-suppress-shortcuts="true">
      <RunningTurn />
      {readOnly === '' ? (
        <Composer
          store={store}
          session={session}
          agents={NONE}
          agent={null}
          policy={session.policy}
          onPolicy={nothing}
          actions={actions}
          t={t}
          offline={connection !== undefined && connection.state !== 'open'}
          {...(sendKey === undefined ? {} : { sendKey })}
          onAdd={nothing}
          onAgent={nothing}
          shownStore={() => store}
          toSession={() => Promise.resolve(store.sessionId)}
          onFailure={onFailure}
        />
      ) : (
        <ReadOnlyBox words={readOnly} />
      )}
    </div>
  );
  if (part === 'composer') {
    return (
      <>
        {notes}
        {login}
        {box}
      </>
    );
  }
  return (
    <div class="acp-panel">
      <SessionHead onFailure={onFailure} />
      <WallsNote session={session} />
      <Transcript>
        {notes}
        {login}
        <ConnectionNote connection={connection} />
      </Transcript>
      {box}
    </div>
  );
}

/** The first line: agent, title and folder of the session. */
function SessionHead({ onFailure }: Pick<SessionPartProps, 'onFailure'>) {
  const { store, t } = useScene();
  const { view } = store;
  return (
    <div class="acp-head">
      <Icon name="agent" />
      <b>{agentOf(view).name || t('Agent')}</b>
      <span class="cut grow" dir="auto">
        <Visible text={titleOf(view)} strictness="controls" />
      </span>
      {view.session?.policy === 'allow-all' && (
        <AllowAll sessionId={view.sessionId} onFailure={onFailure} />
      )}
      <WallsBadge session={view.session} />
      <span class="where" dir="ltr">
        {view.session?.folder}
      </span>
    </div>
  );
}

const NONE = [] as const;

function nothing(): void {
  // An existing session has its agent and policy.
}
