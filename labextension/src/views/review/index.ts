export { mountReview } from './mount';
export type { ReviewProps } from './review';
