import { render } from 'preact';

import { PanelView } from './panel';
import { injectSprite } from './parts/icons';
import { keepFocus } from './parts/keep_focus';
import type { Mounted, PanelProps, TurnProps } from './props';
import { TurnView } from './turn';

/** Draws one turn into an element. */
export function mountTurn(element: HTMLElement, props: TurnProps): Mounted<TurnProps> {
  injectSprite();
  const letFocus = keepFocus(element);
  const update = (next: TurnProps) => render(<TurnView {...next} />, element);
  update(props);
  return { update, dispose: () => (letFocus(), render(null, element)) };
}

/** Draws a session panel into an element. */
export function mountPanel(element: HTMLElement, props: PanelProps): Mounted<PanelProps> {
  injectSprite();
  const letFocus = keepFocus(element);
  const update = (next: PanelProps) => render(<PanelView {...next} />, element);
  update(props);
  return { update, dispose: () => (letFocus(), render(null, element)) };
}
