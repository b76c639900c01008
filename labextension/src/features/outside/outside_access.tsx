import { useEffect, useState } from 'preact/hooks';

import { baseOf } from '../../lab/page/paths';
import type { NewOutsideKey, OutsideKeyEntry } from '../../wire/types';
import type { Actions } from '../../views/actions';
import type { AddedPage } from '../../views/additions';
import { age, moment } from '../../views/i18n';
import type { Translate } from '../../views/i18n';
import { ActionButton, IconButton, messageOf } from '../../views/parts/buttons';
import { CopyButton } from '../../views/parts/copy_button';
import { Icon } from '../../views/parts/icons';
import { Loading } from '../../views/panel/empty_session';
import { useScene } from '../../views/scene';

type Policy = OutsideKeyEntry['policy'];

const CHOICES: readonly {
  readonly value: Policy;
  readonly name: string;
  readonly words: string;
}[] = [
  {
    value: 'read-only',
    name: 'Read only',
    words: 'It reads cells, outputs and variables. Everything else is rejected.',
  },
  {
    value: 'ask',
    name: 'Ask',
    words: 'You are asked here before it changes or runs something.',
  },
];

/** Keys with which agents that run elsewhere use the tools of a notebook. */
export interface Access {
  /** Address of the server, for a program. */
  readonly url: string;
  /** Path of the current notebook; empty for none. */
  readonly notebook: () => string;
  readonly list: () => Promise<OutsideKeyEntry[]>;
  readonly make: (notebookPath: string, policy: Policy) => Promise<NewOutsideKey>;
  readonly revoke: (keyId: string) => Promise<void>;
}

/** The page of the panel. */
export function outsidePage(access: Access, id: string): AddedPage {
  return {
    id,
    name: t => t('Give an outside agent access…'),
    first: '.acp-outside input',
    view: ({ onBack }) => {
      const { actions, t } = useScene();
      return <OutsideAccess {...{ access, t, onBack }} actions={actions ?? {}} />;
    },
  };
}

interface OutsideAccessProps {
  readonly access: Access;
  readonly actions: Pick<Actions, 'copy'>;
  readonly t: Translate;
  readonly onBack: () => void;
}

/** Keys with which agents that run elsewhere use the tools of a notebook. */
export function OutsideAccess({ access, actions, t, onBack }: OutsideAccessProps) {
  const [keys, setKeys] = useState<readonly OutsideKeyEntry[] | null>(null);
  const [policy, setPolicy] = useState<Policy>('read-only');
  const [made, setMade] = useState<NewOutsideKey | null>(null);
  const [failure, setFailure] = useState('');
  const path = access.notebook();
  const load = async () => {
    setKeys(await access.list());
    setFailure('');
  };
  useEffect(() => {
    load().catch((error: unknown) => setFailure(messageOf(error)));
  }, []);
  const make = async () => {
    setMade(await access.make(path, policy));
    await load();
  };
  const revoke = async (keyId: string) => {
    await access.revoke(keyId);
    setMade(shown => (shown?.entry.key_id === keyId ? null : shown));
    await load();
  };

  return (
    <>
      <div class="acp-bar">
        <h2 class="grow">{t('Access for an outside agent')}</h2>
        <IconButton icon="close" label={t('Back to the session')} onClick={onBack} />
      </div>
      <div class="acp-sessions acp-outside">
        <p>
          {path === ''
            ? t('Open a notebook first: a key is for one notebook.')
            : t(
                'An agent that you start elsewhere, for example in a terminal, can use the tools of %1. What it does is shown here as a session, and you can keep or revert what it changes.',
                baseOf(path),
              )}
        </p>
        {path !== '' && (
          <fieldset class="acp-field">
            <legend>{t('What it may do')}</legend>
            {CHOICES.map(choice => (
              <label key={choice.value} class="tick">
                <input
                  type="radio"
                  name="acp-outside-policy"
                  checked={policy === choice.value}
                  onChange={() => setPolicy(choice.value)}
                />
                <span>
                  {t(choice.name)} <small class="muted">{t(choice.words)}</small>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {path !== '' && (
          <ActionButton class="btn primary" run={make} onFailure={setFailure}>
            {t('Make a key')}
          </ActionButton>
        )}
        {failure !== '' && (
          <p class="acp-failure err" role="alert">
            {failure}
          </p>
        )}
        {made !== null && <NewKey key={made.entry.key_id} {...{ made, access, actions, t }} />}
        <h3>{t('Keys')}</h3>
        {keys === null && failure === '' && <Loading words={t('Loading')} />}
        {keys?.length === 0 && <p class="muted">{t('There are no keys.')}</p>}
        {keys !== null && keys.length > 0 && (
          <ul class="acp-ready" role="list" aria-label={t('Keys')}>
            {keys.map(entry => (
              <KeyRow
                key={entry.key_id}
                {...{ entry, t }}
                onRevoke={revoke}
                onFailure={setFailure}
              />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

interface NewKeyProps extends Pick<OutsideAccessProps, 'access' | 'actions' | 't'> {
  readonly made: NewOutsideKey;
}

/** A key and how it is used, while it is shown. */
function NewKey({ made, access, actions, t }: NewKeyProps) {
  const variable = `export ${made.variable}=${made.key}`;
  const command = `jupyter acp mcp --url ${access.url}`;
  return (
    <div class="acp-note" data-tone="info" role="group" aria-label={t('The new key')}>
      <Icon name="lock" />
      <div class="acp-download">
        <p>
          <b>{t('This key is shown only now.')}</b> {t('Put it into the environment of the agent:')}
        </p>
        <pre class="wrap" tabIndex={0} dir="ltr">
          {variable}
        </pre>
        <CopyButton text={variable} label={t('Copy the key')} {...{ actions, t }} />
        <p>{t('Give the agent this MCP server, a program on stdio:')}</p>
        <pre class="wrap" tabIndex={0} dir="ltr">
          {command}
        </pre>
        <CopyButton text={command} label={t('Copy the command')} {...{ actions, t }} />
        <p class="muted">
          {t(
            'The key is good until %1, at the longest: it ends with this server, and when you revoke it.',
            moment(made.entry.expires_at),
          )}
        </p>
      </div>
    </div>
  );
}

interface KeyRowProps {
  readonly entry: OutsideKeyEntry;
  readonly t: Translate;
  readonly onRevoke: (keyId: string) => Promise<void>;
  readonly onFailure: (message: string) => void;
}

function KeyRow({ entry, t, onRevoke, onFailure }: KeyRowProps) {
  const { key_id: id, notebook_path: path, last_used_at: used } = entry;
  const now = Date.now() / 1000;
  const facts = [
    t(CHOICES.find(choice => choice.value === entry.policy)?.name ?? entry.policy),
    used === null ? t('not used yet') : t('last used: %1', age(now - used, t)),
    t('until %1', moment(entry.expires_at)),
    ...(entry.user === '' ? [] : [entry.user]),
  ];
  return (
    <li>
      <Icon name="lock" />
      <b class="cut" title={path} dir="ltr">
        {baseOf(path)}
      </b>
      <ActionButton
        label={t('Revoke the key %1 for %2', id, baseOf(path))}
        run={() => onRevoke(id)}
        onFailure={onFailure}
      >
        {t('Revoke')}
      </ActionButton>
      <small>{facts.join(' · ')}</small>
    </li>
  );
}
