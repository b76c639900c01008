import type { Connection } from '../props';
import { useNow } from './hooks';
import { Icon } from './icons';
import { useScene } from './scene';

/** Says that the page is cut off, that nothing is lost, and when it tries again. */
export function ConnectionNote({ connection }: { readonly connection: Connection | undefined }) {
  return connection?.state === 'lost' ? <Lost retryAt={connection.retryAt} /> : null;
}

function Lost({ retryAt }: { readonly retryAt: number | null }) {
  const { actions, t } = useScene();
  const now = useNow(retryAt !== null);
  const seconds = retryAt === null ? 0 : Math.ceil(retryAt / 1000 - now);
  return (
    <div class="acp-note" data-tone="warn">
      <Icon name="offline" />
      <div>
        <p role="status" aria-live="off">
          <b>{t('Connection lost.')}</b>{' '}
          {seconds > 0 ? t('Trying again in %1 s.', seconds) : t('Trying again.')}{' '}
          {t('The turn goes on at the server; nothing is lost.')}
        </p>
        {actions?.reconnect !== undefined && (
          <div class="row">
            <button type="button" class="btn small" onClick={() => actions.reconnect?.()}>
              {t('Try now')}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
