import { render, type VNode } from 'preact';

import type { Mounted } from '../props';
import { injectSprite } from './icons';
import { keepFocus } from './keep_focus';

/** Draws into an element, in which the focus is kept. */
export function mounted<Props>(
  element: HTMLElement,
  props: Props,
  draw: (props: Props) => VNode,
): Mounted<Props> {
  injectSprite();
  const letFocus = keepFocus(element);
  const update = (next: Props) => render(draw(next), element);
  update(props);
  const dispose = () => {
    letFocus();
    render(null, element);
  };
  return { update, dispose };
}
