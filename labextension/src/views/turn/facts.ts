import type { SessionView } from '../../state/view';
import type { AgentInfo, Item, SessionState, TurnState } from '../../wire/types';
import type { Translate } from '../i18n';
import { between, duration, thousands, tokens } from '../parts/format';

/** Who answers: the session's agent, or the one that the record names. */
export function agentOf(view: SessionView): AgentInfo {
  return view.session?.agent_info ?? view.saved?.agent ?? { id: '', name: '', version: '' };
}

export function titleOf(view: SessionView): string {
  return view.session?.title ?? view.saved?.title ?? '';
}

/** Name of the current mode, or of a config option by category, e.g. `model`. */
export function currentName(session: SessionState | null, category: 'mode' | 'model'): string {
  if (session === null) {
    return '';
  }
  const mode = session.modes.find(each => each.id === session.current_mode_id);
  if (category === 'mode' && mode !== undefined) {
    return mode.name;
  }
  const option = session.config_options.find(each => each.category === category);
  const chosen = option?.choices.find(choice => choice.value === option.current_value)?.name;
  return chosen ?? (category === 'model' ? session.model : '');
}

/** The last line of a finished turn. */
export function footerOf(
  view: SessionView,
  turn: TurnState,
  items: readonly Item[],
  t: Translate,
): string[] {
  if (view.saved !== null) {
    return [...view.saved.footer];
  }
  const agent = agentOf(view);
  return [
    `${agent.name} ${agent.version}`.trim(),
    currentName(view.session, 'model'),
    currentName(view.session, 'mode'),
    POLICIES[turn.policy] === '' ? '' : t(POLICIES[turn.policy]),
    tokenWords(turn, t),
    duration(secondsOf(turn, items)),
  ].filter(part => part !== '');
}

/** How long a turn took: what its end tells, else what was measured. */
function secondsOf(turn: TurnState, items: readonly Item[]): number | null {
  const end = items.find(item => item.kind === 'turn_end');
  return end?.duration_seconds ?? between(turn.started_at, turn.ended_at);
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
