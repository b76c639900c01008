import type { ErrorItem } from '../../wire/types';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { agentOf } from '../turn/facts';
import { ErrorNote } from './note';

/** A turn that was refused for want of a login. What is to be done is told once: in the panel by its card. */
export function LoginNeeded({ item }: { readonly item: ErrorItem }) {
  const { store, host, t } = useScene();
  if (host === 'cell') {
    return (
      <>
        <ErrorNote message={item.message} detail={item.detail} code={item.code} />
        <ToLogin />
      </>
    );
  }
  const words = t('Not sent: %1 needed a login.', agentOf(store.view).name);
  return item.detail === '' ? (
    <p class="acp-end err" role="group" aria-label={t('Error')}>
      <Icon name="warning" small /> {words}
    </p>
  ) : (
    <ErrorNote message={words} detail={item.detail} code={item.code} />
  );
}

/** In a cell there is no room for the ways to log in: they are in the panel. */
function ToLogin() {
  const { store, host, actions, t } = useScene();
  if (host !== 'cell' || actions?.openSession === undefined) {
    return null;
  }
  return (
    <button type="button" class="btn small" onClick={() => actions.openSession?.(store.sessionId)}>
      {t('Log in')}
    </button>
  );
}
