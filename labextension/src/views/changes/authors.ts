import { isTurns } from '../../state/changed_files';
import type { TurnChanges } from '../../wire/types';
import { plural } from '../i18n';
import type { Translate } from '../i18n';

/** Number of files that a turn changed. */
export function countOwn({ files, left_out }: TurnChanges): number {
  return files.filter(isTurns).length + left_out;
}

/** Text with the number of files whose author is unknown; empty for none. */
export function unknownWords({ files, unknown_left_out }: TurnChanges, t: Translate): string {
  const count = files.filter(({ author }) => author === 'unknown').length + unknown_left_out;
  return count === 0
    ? ''
    : plural(
        t,
        count,
        '1 more file changed meanwhile. Who changed it is unknown.',
        '%1 more files changed meanwhile. Who changed them is unknown.',
      );
}
