import type { Addition } from '../../views/additions';
import { ActionButton, messageOf } from '../../views/parts/buttons';
import { Icon } from '../../views/parts/icons';
import { useScene } from '../../views/scene';

/** Downloads a session as a file that shows it step by step, or one turn of it. */
export type Share = (sessionId: string, turnId?: string) => Promise<void>;

/** The button of a turn, and the item in the menus of a session. */
export function sharing(share: Share): Addition {
  return {
    turnFooter: ({ turn, onFailure }) => {
      const { store, t } = useScene();
      const run = async () => {
        onFailure('');
        await share(store.sessionId, turn.turn_id);
      };
      return (
        <ActionButton
          class="ico acp-shareturn"
          label={t('Share this turn')}
          run={run}
          onFailure={onFailure}
        >
          <Icon name="share" />
        </ActionButton>
      );
    },
    sessionMenu: ({ sessionId, t, onFailure }) => ({
      name: t('Share'),
      rank: 20,
      onChoose: () => {
        share(sessionId).catch((error: unknown) => onFailure(messageOf(error)));
      },
    }),
  };
}
