import { useId } from 'preact/hooks';

import { bytes } from '../../../views/i18n';
import { Icon } from '../../../views/parts/icons';
import { Visible } from '../../../views/parts/odd_characters';
import { useOpen, useScene } from '../../../views/scene';
import type { TurnState } from '../../../wire/types';
import { countedWords } from '../going_along';
import { wentAlong } from '../went_along';

/** What went along with the prompt of a turn: a line that opens to names and sizes. */
export function WentAlong({ turn }: { readonly turn: TurnState }) {
  const { store, t } = useScene();
  const [open, setOpen] = useOpen(`went along ${turn.turn_id}`, false);
  const bodyId = useId();
  const all = wentAlong(store.view, turn.turn_id, t);
  if (all.length === 0) {
    return null;
  }
  return (
    <div class="acp-along">
      <button
        type="button"
        class="acp-line"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        title={t('What went along with this prompt. The number of tokens is an estimate.')}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chevron" small class="chev" />
        <span>{t('With %1', countedWords(all, t))}</span>
      </button>
      {open && (
        <ul id={bodyId} role="list" aria-label={t('What went along')}>
          {all.map(({ name, size, cut }, index) => (
            <li key={index}>
              <span class="cut">
                <Visible text={name} strictness="controls" />
              </span>
              <span class="muted">
                {size === null ? t('the agent reads it itself') : bytes(size)}
                {cut && `, ${t('cut')}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
