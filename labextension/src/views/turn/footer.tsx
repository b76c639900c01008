import { agentOf, currentName } from '../../state/session_view';
import type { SessionView } from '../../state/session_view';
import { textOf } from '../../state/texts';
import { sandboxOfPolicy } from '../../wire/sandbox';
import type { Item, TurnState } from '../../wire/types';
import { between, duration, thousands, tokens } from '../i18n';
import type { Translate } from '../i18n';
import { IconButton } from '../parts/buttons';
import { useAdditions, useScene } from '../scene';

interface FooterProps {
  readonly turn: TurnState;
  readonly items: readonly Item[];
  readonly onFailure: (message: string) => void;
}

/** The last line of a finished turn: agent, tokens, time, and buttons, one of which copies the answer. */
export function Footer({ turn, items, onFailure }: FooterProps) {
  const { store, host, actions, t, announce } = useScene();
  const { view } = store;
  const parts = footerOf(view, turn, items, t);
  const added = useAdditions('turnFooter');
  if (turn.started_at === null && view.saved === null) {
    // Cancelled before it was sent, so there is no answer.
    return null;
  }
  if (host === 'file' && parts.length === 0) {
    return null; // of items between turns
  }
  const answer = answerOf(items);
  const copy = async () => {
    await actions?.copy?.(answer.map(({ id }) => textOf(view, id, 'text')).join('\n\n'));
    announce(t('Copied.'), 'polite');
  };
  return (
    <div class="acp-foot">
      {parts.map((part, index) => (
        <span key={index}>{part}</span>
      ))}
      {view.saved !== null && host !== 'file' && (
        <span>{t('Saved turn. Its session is not open here.')}</span>
      )}
      {added.map((Added, index) => (
        <Added key={index} {...{ turn, onFailure }} />
      ))}
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

/** The final texts of the agent, without those of its subagents. */
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

/** The parts of the last line of a finished turn. */
export function footerOf(
  view: SessionView,
  turn: TurnState,
  items: readonly Item[],
  t: Translate,
): string[] {
  if (view.saved !== null) {
    const { footer } = view.saved;
    const time = duration(secondsOf(turn, items));
    // Earlier versions saved it with the others.
    return time === '' || footer.includes(time) ? [...footer] : [...footer, time];
  }
  const agent = agentOf(view);
  return [
    `${agent.name} ${agent.version}`.trim(),
    currentName(view.session, 'model'),
    currentName(view.session, 'mode'),
    POLICIES[turn.policy] === '' ? '' : t(POLICIES[turn.policy]),
    sandboxWords(turn, t),
    tokenWords(turn, t),
    duration(secondsOf(turn, items)),
  ].filter(part => part !== '');
}

/** How long a turn took: as its end reports it, else as measured. */
function secondsOf(turn: TurnState, items: readonly Item[]): number | null {
  const end = items.find(item => item.kind === 'turn_end');
  return end?.duration_seconds ?? between(turn.started_at, turn.ended_at);
}

/**
 * The sandbox that was chosen for a turn; if a policy implies a sandbox, the policy's name says so.
 */
function sandboxWords({ sandbox, policy }: TurnState, t: Translate): string {
  const says = sandbox !== 'off' && sandboxOfPolicy(policy) === null;
  return says ? t('sandbox %1', t(sandbox)) : '';
}

function tokenWords(
  { tokens: all, input_tokens: read, output_tokens: written }: TurnState,
  t: Translate,
) {
  if (read === null || written === null) {
    return tokens(all, t);
  }
  const parts = t('%1 in, %2 out', thousands(read), thousands(written));
  return `${tokens(all ?? read + written, t)} (${parts})`;
}

const POLICIES: Record<TurnState['policy'], string> = {
  ask: '',
  'read-only': 'read-only',
  'accept-edits': 'accept-edits',
  'allow-all': 'allow-all',
  deny: 'deny',
};
