import { idsOf } from '../../state/runs';
import type { Part } from '../../state/runs';
import type { UserMessage } from '../../wire/types';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';
import { AboutError } from './turn_view';

interface PromptsProps {
  readonly turnId: string;
  /** Which of its items are drawn; all that are loaded by default. */
  readonly part?: Part | null;
}

/** The prompts of a turn; messages sent while it ran are among its items. */
export function Prompts({ turnId, part = null }: PromptsProps) {
  const { view } = useScene().store;
  const prompts = idsOf(view, turnId, part).flatMap(id => {
    const item = view.items.get(id);
    return item?.kind === 'user_message' && !item.steered ? [item] : [];
  });
  return (
    <>
      {prompts.map(prompt => (
        <Prompt key={prompt.id} item={prompt} turnId={turnId} />
      ))}
    </>
  );
}

/** A prompt, with its attachments and the cell it came from. */
function Prompt({ item, turnId }: { readonly item: UserMessage; readonly turnId: string }) {
  const { store, actions, t } = useScene();
  const origin = store.view.turns.get(turnId)?.origin ?? null;
  const cell = (origin && actions?.cellNumber?.(origin)) ?? null;
  const from = cell === null ? t('from a cell') : t('from cell %1', cell);
  return (
    <div class="acp-user">
      <div dir="auto">
        <Visible text={item.text} strictness="controls" />
      </div>
      {item.attachments.flatMap((attachment, index) =>
        attachment.type === 'text' ? (
          [] // it stands in the prompt's text
        ) : (
          <span key={index} class="from">
            <Icon name={attachment.type === 'image' ? 'image' : 'attach'} small />
            {attachment.name}
          </span>
        ),
      )}
      <AboutError origin={origin} />
      {origin !== null && origin.cell_id !== '' && (
        <span class="from">
          <Icon name="cell" small />
          {actions?.jumpTo === undefined ? (
            from
          ) : (
            <button type="button" class="link" onClick={() => actions.jumpTo?.(origin)}>
              {from}
            </button>
          )}
        </span>
      )}
    </div>
  );
}
