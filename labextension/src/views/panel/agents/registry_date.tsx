import { useEffect, useState } from 'preact/hooks';

import type { RegistryReply } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Translate } from '../../i18n';
import { ActionButton, messageOf } from '../../parts/buttons';

interface RegistryDateProps {
  readonly actions: Actions;
  readonly t: Translate;
}

/** The date of the public registry's list, and how to update it. */
export function RegistryDate({ actions, t }: RegistryDateProps) {
  const [list, setList] = useState<RegistryReply | null>(null);
  const [isNewest, setIsNewest] = useState(false);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    let shown = true;
    actions
      .registry?.()
      .then(reply => shown && setList(reply))
      .catch((error: unknown) => {
        if (shown) {
          setFailure(t('The date of the list of agents could not be read: %1', messageOf(error)));
        }
      });
    return () => {
      shown = false;
    };
  }, [actions]);
  const notTaken = (why: string) => t('The list was not updated: %1', why);
  const update = async () => {
    setFailure('');
    setIsNewest(false);
    const next = await actions.updateRegistry?.();
    if (next === undefined) {
      return;
    }
    setList(next);
    setIsNewest(
      next.failure === '' && next.date === list?.date && next.downloaded === list.downloaded,
    );
    try {
      await actions.refreshAgents?.();
    } catch (error) {
      setFailure(t('The agents could not be listed again: %1', messageOf(error)));
    }
  };
  if (list === null && failure === '') {
    return null;
  }
  const why = failure || (list !== null && list.failure !== '' ? notTaken(list.failure) : '');
  return (
    <div class="acp-empty">
      {list !== null && list.date !== '' && (
        <p class="muted">
          {list.downloaded
            ? t("The list of agents is the public registry's of %1.", list.date)
            : t('The list of agents came with this version and dates from %1.', list.date)}
        </p>
      )}
      <p class={why === '' ? 'muted' : 'warn'} role="status">
        {why || (isNewest ? t('There is no newer list.') : '')}
      </p>
      {list?.may_update === true && actions.updateRegistry !== undefined && (
        <ActionButton
          class="btn small"
          run={update}
          onFailure={words => setFailure(notTaken(words))}
        >
          {t('Look for a newer list')}
        </ActionButton>
      )}
    </div>
  );
}
