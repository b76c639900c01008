import { useEffect, useRef } from 'preact/hooks';

import type { Item, TurnState } from '../../wire/types';
import { plural } from '../parts/format';
import { useScene } from '../parts/scene';
import { changesOf } from './summary';

/** Tells users of screen readers of the steps of a turn and of its end. */
export function useTurnAnnouncements(turn: TurnState | undefined, items: readonly Item[]): void {
  const { announce, t } = useScene();
  const step = turn?.status === 'done' ? '' : currentStep(items, t);
  useEffect(() => {
    if (step !== '') {
      announce(step, 'polite');
    }
  }, [step]);
  const done = turn?.status === 'done';
  const wasDone = useRef(done);
  useEffect(() => {
    if (!done || wasDone.current) {
      return;
    }
    wasDone.current = true;
    if (turn.failure !== null) {
      announce(turn.failure.message, 'assertive');
      return;
    }
    if (turn.stop_reason === 'cancelled') {
      announce(t('Stopped.'), 'polite');
      return;
    }
    const files = changesOf(items).length;
    const changed = plural(t, files, '1 file changed.', '%1 files changed.');
    announce(files === 0 ? t('Done.') : `${t('Done.')} ${changed}`, 'polite');
  }, [done]);
}

function currentStep(items: readonly Item[], t: ReturnType<typeof useScene>['t']): string {
  for (const item of items) {
    if (item.kind === 'plan') {
      const index = item.entries.findIndex(entry => entry.status === 'in_progress');
      const entry = item.entries[index];
      if (entry !== undefined) {
        return t('Step %1 of %2: %3', index + 1, item.entries.length, entry.content);
      }
    }
  }
  return '';
}
