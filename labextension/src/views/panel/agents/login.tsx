import { useState } from 'preact/hooks';

import type { AuthMethod, LoginReply, SessionState } from '../../../wire/types';
import type { Actions } from '../../actions';
import { ActionButton } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { Visible } from '../../parts/odd_characters';
import { useScene } from '../../scene';

interface LoginCardProps {
  readonly session: SessionState;
  readonly actions: Actions;
}

/** Ways to log in, for an agent that needs it before it opens a session. */
export function LoginCard({ session, actions }: LoginCardProps) {
  const { t } = useScene();
  const [reply, setReply] = useState<LoginReply | null>(null);
  const [failure, setFailure] = useState('');
  const { session_id: id, login, agent_info: agent } = session;
  const running = login?.state === 'running';
  const failed = failure !== '' ? failure : login?.state === 'failed' ? login.message : '';
  const start = async (method: AuthMethod) => {
    setFailure('');
    const started = await actions.login?.(id, method.id);
    setReply(started ?? null);
    if (started !== undefined && started.terminal !== '') {
      actions.openTerminal?.(started.terminal);
    }
  };
  return (
    <div class="acp-note acp-login" data-tone="warn" role="group" aria-label={t('Log in')}>
      <Icon name="lock" />
      <div>
        <p dir="auto">
          <Visible text={session.needs_login || t('Logging in to %1.', agent.name)} />
        </p>
        {running && (
          <p class="acp-loading" role="status">
            <span class="spin" aria-hidden="true" />
            {t('Logging in: %1', login.name)}
          </p>
        )}
        {reply !== null && (running || reply.command !== '' || reply.terminal === '') && (
          <LoginWords reply={reply} actions={actions} />
        )}
        {failed !== '' && (
          <p class="acp-login-failed" dir="auto">
            <Icon name="warning" /> <Visible text={failed} />
          </p>
        )}
        {running ? (
          <div class="row">
            {login.terminal !== '' && actions.openTerminal !== undefined && (
              <button
                type="button"
                class="btn small"
                onClick={() => actions.openTerminal?.(login.terminal)}
              >
                {t('Open the terminal')}
              </button>
            )}
            {actions.cancelLogin !== undefined && (
              <ActionButton run={async () => actions.cancelLogin?.(id)} onFailure={setFailure}>
                {t('Cancel')}
              </ActionButton>
            )}
          </div>
        ) : (
          <Methods session={session} actions={actions} onStart={start} onFailure={setFailure} />
        )}
      </div>
    </div>
  );
}

interface MethodsProps extends LoginCardProps {
  readonly onStart: (method: AuthMethod) => Promise<void>;
  readonly onFailure: (message: string) => void;
}

function Methods({ session, actions, onStart, onFailure }: MethodsProps) {
  const { t } = useScene();
  const { agent, auth_methods: methods } = session;
  return (
    <>
      {methods.length > 0 && (
        <ul class="acp-logins" role="list" aria-label={t('Ways to log in')}>
          {methods.map(method => (
            <li key={method.id}>
              {actions.login !== undefined && method.kind !== 'other' && (
                <ActionButton run={() => onStart(method)} onFailure={onFailure}>
                  <Visible
                    text={
                      method.kind === 'env_var'
                        ? t('How to set: %1', method.name)
                        : t('Log in: %1', method.name)
                    }
                  />
                </ActionButton>
              )}
              <small dir="auto">
                {method.kind === 'other' && (
                  <b>
                    <Visible text={method.name} />:{' '}
                  </b>
                )}
                <Visible text={aboutMethod(method, t('not possible from here'))} />
              </small>
              {method.kind === 'terminal' && method.adds !== '' && (
                <div class="acp-code">
                  <pre class="wrap" tabIndex={0} role="group" aria-label={t('Adds')} dir="ltr">
                    <Visible text={method.adds} strictness="lookalikes" />
                  </pre>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {actions.restartAgent !== undefined && (
        <div class="row">
          <ActionButton run={async () => actions.restartAgent?.(agent)} onFailure={onFailure}>
            {t('Restart the agent')}
          </ActionButton>
        </div>
      )}
    </>
  );
}

function LoginWords({ reply, actions }: { readonly reply: LoginReply; readonly actions: Actions }) {
  const { t } = useScene();
  return (
    <>
      <p dir="auto" role="status">
        <Visible text={reply.message} />
      </p>
      {reply.command !== '' && (
        <div class="acp-code">
          <pre class="wrap" tabIndex={0} role="group" aria-label={t('Command')} dir="ltr">
            <Visible text={reply.command} />
          </pre>
          {actions.copy !== undefined && (
            <ActionButton run={async () => actions.copy?.(reply.command)}>{t('Copy')}</ActionButton>
          )}
        </div>
      )}
    </>
  );
}

function aboutMethod(method: AuthMethod, impossible: string): string {
  switch (method.kind) {
    case 'env_var':
      return [method.description, method.variables.map(({ name }) => name).join(', ')]
        .filter(part => part !== '')
        .join(' · ');
    case 'other':
      return impossible;
    case 'agent':
    case 'terminal':
      return method.description;
  }
}
