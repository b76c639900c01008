import { API_VERSION } from '../wire/types';
import type { WidgetViews, WidgetModel } from './widget_views';

/** The widget is a separate bundle, and finds the page's own code under this key. */
const KEY = Symbol.for('acp-jupyter');

/**
 * The page's own code draws the widgets, since their code comes from a kernel: so their buttons are
 * the page's own. Its client, which could answer requests, is not accessible here.
 */
interface PageWidgets {
  readonly apiVersion: number;
  readonly open: (model: WidgetModel) => WidgetViews;
}

export function exposeToWidgets(open: PageWidgets['open']): void {
  const offer: PageWidgets = Object.freeze({ apiVersion: API_VERSION, open });
  Object.defineProperty(window, KEY, { value: offer });
}

/** The page's own code, if it has the same version. */
export function findPageCode(): PageWidgets['open'] | null {
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
