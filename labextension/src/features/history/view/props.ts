import type { FileThen, HistoryMoment, HistoryStep } from '../../../wire/types';
import type { Translate } from '../../../views/i18n';
import type { Rendering } from '../../../views/props';

/** The content of a moment; that of the earlier one while the next is loading. */
export interface Shown {
  /** The turn for which files are fetched. */
  readonly turnId: string;
  readonly moment: HistoryMoment;
}

/** Properties of the history of a notebook. */
export interface HistoryProps {
  /** Name of the notebook. */
  readonly name: string;
  /** Its turns, the oldest first; `null` while they are not known yet. */
  readonly steps: readonly HistoryStep[] | null;
  /** Number of turns before the shown moment; 0 is before the first. */
  readonly place: number;
  readonly shown: Shown | null;
  /** Whether `shown` is still that of another place. */
  readonly loading: boolean;
  /** Why it could not be loaded, in words; empty if it could. */
  readonly failure: string;
  /** The result of the last restore, in words, while it can be undone. */
  readonly restored: string;
  readonly go: (place: number) => void;
  readonly again: () => void;
  readonly restore: () => Promise<void>;
  readonly undo: () => Promise<void>;
  /** A file of the moment that is shown. */
  readonly getFile: (turnId: string, path: string) => Promise<FileThen>;
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}
