import { API_VERSION } from '../wire/types';
import type { Drawn, WidgetModel } from './drawn';

/** The widget is another bundle, and finds what the page's own code offers under this key. */
const KEY = Symbol.for('acp-jupyter');

/**
 * What the page's own code does for widgets, whose code comes from a kernel: it draws, so that their
 * buttons are the page's own. Its client, with which one could answer, is not to be had here.
 */
interface PageWidgets {
  readonly apiVersion: number;
  readonly open: (model: WidgetModel) => Drawn;
}

export function offerToWidgets(open: PageWidgets['open']): void {
  const offer: PageWidgets = Object.freeze({ apiVersion: API_VERSION, open });
  Object.defineProperty(window, KEY, { value: offer });
}

/** What the page's own code of the same version offers. */
export function offeredByPage(): PageWidgets['open'] | null {
  const value: unknown = Reflect.get(window, KEY);
  return isOffer(value) ? value.open : null;
}

function isOffer(value: unknown): value is PageWidgets {
  return (
    typeof value === 'object' &&
    value !== null &&
    'open' in value &&
    'apiVersion' in value &&
    value.apiVersion === API_VERSION
  );
}
