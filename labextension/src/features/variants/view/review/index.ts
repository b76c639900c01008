export { mountVariantsReview } from './variants_review';

export type { VariantsReviewProps } from './variants_review';
