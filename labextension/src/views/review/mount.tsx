import { render } from 'preact';

import { injectSprite } from '../parts/icons';
import type { Mounted } from '../props';
import { ReviewView, type ReviewProps } from './review';

/** Draws a review into an element. */
export function mountReview(element: HTMLElement, props: ReviewProps): Mounted<ReviewProps> {
  injectSprite();
  const update = (next: ReviewProps) => render(<ReviewView {...next} />, element);
  update(props);
  return { update, dispose: () => render(null, element) };
}
