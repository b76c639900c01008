import { useCallback } from 'preact/hooks';

import { ConnectionNote, ErrorNote } from '../../views/parts/notes';
import { Icon } from '../../views/parts/icons';
import { useScene, useSubscription } from '../../views/scene';
import type { SessionStore } from '../../state/store';
import { PartView } from '../../views/widget_parts/part_view';
import type { InboxProps } from './props';
import { useFollowed } from './session_card';

/** One session with its conversation, its requests and its message box. */
export function SessionPage(props: InboxProps) {
  const { opened, open, follow, refused, connection } = props;
  const { t } = useScene();
  const store = useFollowed(opened, follow);
  return (
    <div class="acp-inbox-page">
      <div class="acp-inbox-back">
        <button type="button" class="btn acp-back" onClick={() => open('')}>
          <Icon name="previous" small />
          {t('Inbox')}
        </button>
      </div>
      {refused !== null ? (
        <ErrorNote message={refused.error.message} detail={refused.error.detail} />
      ) : (
        store !== null && <OfStore key={opened} {...props} store={store} />
      )}
      {store?.view.seq === null && <ConnectionNote connection={connection} />}
    </div>
  );
}

function OfStore({ store, ...props }: InboxProps & { readonly store: SessionStore }) {
  const { t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  if (store.view.seq === null) {
    return (
      <p class="acp-loading muted" role="status">
        <span class="spin" aria-hidden="true" />
        {t('Loading')}
      </p>
    );
  }
  const { actions, connection, rendering } = props;
  return <PartView part="session" turnId="" {...{ store, actions, connection, rendering, t }} />;
}
