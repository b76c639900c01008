import { useScene } from './scene';
import { ActionButton } from './buttons';

interface AllowAllProps {
  readonly sessionId: string;
  readonly onFailure: (message: string) => void;
}

/** Says that the agent is asked nothing; a click goes back to asking, in this turn too. */
export function AllowAll({ sessionId, onFailure }: AllowAllProps) {
  const { actions, t } = useScene();
  return actions?.setConfig === undefined ? (
    <span class="badge warn">{t('Allow-all')}</span>
  ) : (
    <ActionButton
      class="badge warn"
      label={t('Allow-all: ask again')}
      run={async () => {
        await actions.setConfig?.(sessionId, { policy: 'ask' });
      }}
      onFailure={onFailure}
    >
      {t('Allow-all')}
    </ActionButton>
  );
}
