export type { Scope, Source } from './entries';

export { isTouched, joinedIds } from '../changes/decisions';

export { mountReview } from './review';

export type { ReviewProps } from './review';

export { mountRunNote } from './run_note';

export type { RunNoteProps } from './run_note';
