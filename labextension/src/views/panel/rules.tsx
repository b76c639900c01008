import { useEffect, useState } from 'preact/hooks';

import type { RuleEntry, SessionState } from '../../wire/types';
import type { Actions } from '../actions';
import { plural } from '../i18n';
import { messageOf } from '../parts/buttons';
import { Disclosure } from '../parts/disclosure';
import { Visible } from '../parts/odd_characters';
import { useOpen, useScene } from '../scene';

/** The permission rules of a session and its folder, which can be removed. */
export function Rules({ session }: { readonly session: SessionState }) {
  const { actions, t } = useScene();
  const [shown] = useOpen(rulesId(session), false);
  if (actions?.listRules === undefined || actions.revokeRule === undefined) {
    return null;
  }
  const { listRules, revokeRule } = actions;
  const count = session.rules.length;
  if (count === 0 && !shown) {
    // The folder's rules are in the menu.
    return null;
  }
  return (
    <Disclosure
      id={rulesId(session)}
      standard={false}
      class="acp-details"
      attributes={{ role: 'group', 'aria-label': t('Permission rules') }}
      line={
        <span class="cut grow">
          {count === 0 ? t('Permission rules') : plural(t, count, '1 rule', '%1 rules')}
        </span>
      }
      body={() => <RuleList session={session} list={listRules} revoke={revokeRule} />}
    />
  );
}

/** Id in the store of whether they are shown. */
export function rulesId(session: SessionState): string {
  return `rules ${session.session_id}`;
}

interface RuleListProps {
  readonly session: SessionState;
  readonly list: NonNullable<Actions['listRules']>;
  readonly revoke: NonNullable<Actions['revokeRule']>;
}

function RuleList({ session, list, revoke }: RuleListProps) {
  const { t } = useScene();
  const [entries, setEntries] = useState<readonly RuleEntry[] | null>(null);
  const [failure, setFailure] = useState('');
  const [changes, setChanges] = useState(0);
  const fail = (error: unknown) => setFailure(messageOf(error));

  useEffect(() => {
    let mounted = true;
    list(session.session_id)
      .then(found => {
        if (mounted) {
          setEntries(found);
          setFailure('');
        }
      })
      .catch(fail);
    return () => {
      mounted = false;
    };
  }, [session.session_id, session.rules, session.waiting, changes]);

  return (
    <>
      {failure !== '' && (
        <p class="acp-failure err" role="alert">
          {failure}
        </p>
      )}
      {entries?.length === 0 && (
        <p class="muted">{t('There are no rules yet: you or the policy answer every request.')}</p>
      )}
      {entries !== null && entries.length > 0 && (
        <ul role="list" aria-label={t('Rules')}>
          {entries.map(entry => (
            <li key={entry.rule.id} class="acp-rule" data-effect={entry.rule.effect}>
              <code class="grow" dir="ltr">
                <Visible text={entry.text} strictness="lookalikes" />
              </code>
              <span class="muted">
                {entry.rule.effect === 'deny' ? t('rejected') : t('allowed')}
                {' · '}
                {entry.session_id === '' ? t('this folder') : t('this session')}
              </span>
              <button
                type="button"
                class="btn quiet small"
                aria-label={t('Remove the rule %1', entry.text)}
                onClick={() => {
                  revoke(entry.rule.id)
                    .then(() => setChanges(count => count + 1))
                    .catch(fail);
                }}
              >
                {t('Remove')}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
