import type { CheckedCell } from '../../../wire/types';
import type { IconName } from '../../../views/parts/icon_drawings';

/** How each verdict is shown; never by colour alone. */
export const VERDICTS: readonly {
  readonly verdict: CheckedCell['verdict'];
  readonly icon: IconName;
  readonly name: string;
  /** With the number of such cells. */
  readonly count: string;
}[] = [
  { verdict: 'same', icon: 'keep', name: 'same', count: '%1 same' },
  { verdict: 'different', icon: 'edit', name: 'different', count: '%1 different' },
  { verdict: 'failed', icon: 'warning', name: 'failed', count: '%1 failed' },
  { verdict: 'skipped', icon: 'next', name: 'skipped', count: '%1 skipped' },
];
