import { textOf } from '../../state/texts';
import type { Item, TurnState } from '../../wire/types';
import { IconButton } from '../parts/buttons';
import { useScene } from '../parts/scene';
import { footerOf } from './facts';

interface FooterProps {
  readonly turn: TurnState;
  readonly items: readonly Item[];
}

/** The last line of a finished turn: who answered, at what cost; its answer can be copied. */
export function Footer({ turn, items }: FooterProps) {
  const { store, actions, t, announce } = useScene();
  const { view } = store;
  const parts = footerOf(view, turn, items, t);
  if (turn.started_at === null && view.saved === null) {
    // Taken back before it was sent: nobody answered.
    return null;
  }
  const answer = answerOf(items);
  const copy = async () => {
    await actions?.copy?.(answer.map(({ id }) => textOf(view, id, 'text')).join('\n\n'));
    announce(t('Copied.'), 'polite');
  };
  return (
    <div class="acp-foot">
      {parts.map((part, index) => (
        <span key={index} class={index > 0 ? 'dot' : undefined}>
          {part}
        </span>
      ))}
      {view.saved !== null && (
        <span class={parts.length > 0 ? 'dot' : undefined}>
          {t('Saved turn. Open the session to go on.')}
        </span>
      )}
      {actions?.copy !== undefined && answer.length > 0 && (
        <IconButton
          icon="copy"
          class="ico acp-copyanswer"
          label={t('Copy the answer')}
          onClick={() => void copy()}
        />
      )}
    </div>
  );
}

/** The texts that the agent ended with; those of its subagents are theirs. */
function answerOf(items: readonly Item[]): Item[] {
  const answer: Item[] = [];
  for (const item of [...items].reverse()) {
    if (item.kind === 'agent_message' && item.parent_id === '') {
      answer.unshift(item);
    } else if (answer.length > 0 && item.kind !== 'content_block') {
      break;
    }
  }
  return answer;
}
