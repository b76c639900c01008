export type { Scope, Source } from './entries';
export { isTouched, joinedIds } from './kept';
export { mountReview } from './mount';
export type { ReviewProps } from './review';
export { mountRunNote } from './run_note';
export type { RunNoteProps } from './run_note';
