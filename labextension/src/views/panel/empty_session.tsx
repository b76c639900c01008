import { useEffect, useRef, useState } from 'preact/hooks';

import type { SessionStore } from '../../state/store';
import { DRAFT } from '../../state/ui';
import type { SessionState } from '../../wire/types';
import type { Mention } from '../actions';
import { identity } from '../i18n';
import type { Translate } from '../i18n';
import type { IconName } from '../parts/icon_drawings';
import { Icon } from '../parts/icons';
import type { PanelProps } from '../props';
import { useScene } from '../scene';
import { Agents } from './agents/agents';

interface ContentProps extends PanelProps {
  readonly session: SessionStore['view']['session'];
  readonly onStart: (agentId: string) => void;
  readonly onAdd: () => void;
  readonly onFailure: (message: string) => void;
}

/** Shown while there is no transcript: loading, the agents, or an empty session. */
export function Content({ store, session, sessions, agents, connection, ...rest }: ContentProps) {
  const { t = identity } = rest;
  if (store === null) {
    if (agents === null || sessions === null) {
      return connection.state === 'lost' ? null : <Loading words={t('Connecting to the server')} />;
    }
    return <Agents {...rest} agents={agents} t={t} />;
  }
  if (session === null) {
    return connection.state === 'lost' ? null : <Loading words={t('Loading the session')} />;
  }
  return store.view.order.length === 0 ? <EmptySession session={session} t={t} /> : null;
}

/** Says that something is loading. */
export function Loading({ words }: { readonly words: string }) {
  return (
    <div class="acp-state" role="status">
      <p class="acp-loading">
        <span class="spin" aria-hidden="true" />
        {words}
      </p>
    </div>
  );
}

/** An open session without any items. */
export function EmptySession({
  session,
  t,
}: {
  readonly session: SessionState;
  readonly t: Translate;
}) {
  const { name } = session.agent_info;
  if (session.status === 'starting') {
    return <Loading words={t('Starting %1', name)} />;
  }
  return (
    <div class="acp-state">
      <h2>{t('New session with %1', name)}</h2>
      <p>{t('It works in %1. Write a message below.', session.folder)}</p>
      <Starters session={session} />
    </div>
  );
}

/** A suggested first message. */
interface Starter {
  readonly icon: IconName;
  readonly words: string;
  readonly mention?: Mention;
}

/** Suggested first messages of a notebook's session: a click writes one, nothing is sent. */
export function Starters({ session }: { readonly session: SessionState }) {
  const { store, actions, t } = useScene();
  const list = useRef<HTMLUListElement>(null);
  const error = useError();
  const path = session.notebook_path;
  if (path === '' || actions?.send === undefined) {
    return null;
  }
  const notebook = path.slice(path.lastIndexOf('/') + 1);
  const starters: Starter[] = [
    ...(error === null
      ? []
      : [
          {
            icon: 'warning' as const,
            words: t('Explain this error: %1', error.label),
            mention: error,
          },
        ]),
    { icon: 'cell', words: t('Explain what %1 does, step by step', notebook) },
    { icon: 'search', words: t('Find slow parts of %1', notebook) },
  ];
  const take = ({ words, mention }: Starter) => {
    if (mention !== undefined) {
      store.ui.attachments.add(mention.attachment);
    }
    store.ui.setValue(DRAFT, words);
    const box = list.current?.closest('.acp-panel')?.querySelector('textarea');
    box?.focus();
  };
  return (
    <ul class="acp-starters" role="list" aria-label={t('Suggestions')} ref={list}>
      {starters.map(starter => (
        <li key={starter.words}>
          <button type="button" onClick={() => take(starter)}>
            <Icon name={starter.icon} />
            <span dir="auto">{starter.words}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The last error of the notebook, if its output exists. */
function useError(): Mention | null {
  const { actions } = useScene();
  const [error, setError] = useState<Mention | null>(null);
  const source = actions?.mentions;
  useEffect(
    () =>
      source?.find('', found => {
        setError(found.find(({ group }) => group === 'errors') ?? null);
      }),
    [source],
  );
  return error;
}
