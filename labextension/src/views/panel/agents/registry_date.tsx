import { useEffect, useState } from 'preact/hooks';

import type { RegistryReply } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { Translate } from '../../i18n';
import { ActionButton, messageOf } from '../../parts/buttons';

interface RegistryDateProps {
  readonly actions: Actions;
  readonly t: Translate;
}

/** From which day the list of the public registry is, and how it is made current. */
export function RegistryDate({ actions, t }: RegistryDateProps) {
  const [list, setList] = useState<RegistryReply | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    let shown = true;
    actions
      .registry?.()
      .then(reply => shown && setList(reply))
      .catch((error: unknown) => shown && setFailure(messageOf(error)));
    return () => {
      shown = false;
    };
  }, [actions]);
  const update = async () => {
    setFailure('');
    setList((await actions.updateRegistry?.()) ?? list);
    await actions.refreshAgents?.();
  };
  if (list === null && failure === '') {
    return null;
  }
  const why = failure || (list?.failure ?? '');
  return (
    <div class="acp-empty">
      {list !== null && list.date !== '' && (
        <p class="muted">
          {list.downloaded
            ? t('The list of the public registry is of %1.', list.date)
            : t('The list of the public registry came with this version. It is of %1.', list.date)}
        </p>
      )}
      {why !== '' && (
        <p class="warn" role="status">
          {t('No newer list was taken: %1', why)}
        </p>
      )}
      {list?.may_update === true && actions.updateRegistry !== undefined && (
        <ActionButton class="btn small" run={update} onFailure={setFailure}>
          {t('Look for a newer list')}
        </ActionButton>
      )}
    </div>
  );
}
