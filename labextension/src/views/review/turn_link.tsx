import type { TurnState } from '../../wire/types';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { shorten } from '../parts/fields';
import { Icon } from '../parts/icons';
import { useScene } from '../scene';

const MAX_PROMPT = 40;

/** A link to the turn that made a change: to its cell, or in the panel. */
export function TurnLink({ turn }: { readonly turn: TurnState }) {
  const { actions, t } = useScene();
  const words = nameOf(turn, actions, t);
  const inner = (
    <>
      <Icon name={turn.origin === null ? 'agent' : 'cell'} small />
      <span class="cut" dir="auto">
        {words}
      </span>
    </>
  );
  return actions?.goToTurn === undefined ? (
    <span class="acp-origin" title={turn.prompt}>
      {inner}
    </span>
  ) : (
    <button
      type="button"
      class="acp-origin link"
      title={turn.prompt}
      aria-label={t('Go to %1', words)}
      onClick={() => actions.goToTurn?.(turn)}
    >
      {inner}
    </button>
  );
}

/** Name of a turn: its cell, or the beginning of its prompt. */
export function nameOf(turn: TurnState, actions: Actions | null, t: Translate): string {
  const { origin, prompt } = turn;
  if (origin !== null && origin.cell_id !== '') {
    const number = actions?.cellNumber?.(origin) ?? null;
    return number === null ? t('A cell') : t('Cell %1', number);
  }
  const [line = ''] = prompt.trim().split('\n', 1);
  return line === '' ? t('Turn') : shorten(line, MAX_PROMPT);
}
