import type { FileThen, HistoryMoment, HistoryStep } from '../../wire/types';
import type { Translate } from '../i18n';
import type { Rendering } from '../props';

/** What is shown of a moment: of an earlier one as long as the next is loaded. */
export interface Shown {
  /** The turn that files are asked for with. */
  readonly turnId: string;
  readonly moment: HistoryMoment;
}

/** Properties of the history of a notebook. */
export interface HistoryProps {
  /** Name of the notebook. */
  readonly name: string;
  /** Its turns, the oldest first; `null` while they are not known yet. */
  readonly steps: readonly HistoryStep[] | null;
  /** After how many turns is shown; 0 is before the first. */
  readonly place: number;
  readonly shown: Shown | null;
  /** Whether `shown` is not yet of that place. */
  readonly loading: boolean;
  /** Why it could not be loaded, in words; empty where it could. */
  readonly failure: string;
  /** What the last restore has done, in words, while it can be undone. */
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
