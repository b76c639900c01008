import type { TurnProps } from './props';

/** One turn: the first line, its items, its status. */
export function TurnView({ turnId }: TurnProps) {
  return <div class="acp" data-turn={turnId} />;
}
