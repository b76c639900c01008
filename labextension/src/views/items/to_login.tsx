import { useScene } from '../parts/scene';

/** In a cell there is no room for the ways to log in: they are in the panel. */
export function ToLogin() {
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
