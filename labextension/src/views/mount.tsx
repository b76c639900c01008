import { PanelView } from './panel';
import { mounted } from './parts/mounted';
import type { Mounted, PanelProps, TurnProps } from './props';
import { TurnView } from './turn';

/** Draws one turn into an element. */
export function mountTurn(element: HTMLElement, props: TurnProps): Mounted<TurnProps> {
  return mounted(element, props, next => <TurnView {...next} />);
}

/** Draws a session panel into an element. */
export function mountPanel(element: HTMLElement, props: PanelProps): Mounted<PanelProps> {
  return mounted(element, props, next => <PanelView {...next} />);
}
