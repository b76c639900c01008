import type { ChangedFile } from '../wire/types';

/** Whether a file counts as the turn's change, as everything does in turns of earlier versions. */
export function isTurns({ author }: ChangedFile): boolean {
  return author === '' || author === 'agent';
}
