import { API_VERSION } from '../wire/types';
import type { Client } from './client';

/** The widget is another bundle, and finds the page's client under this key of `window`. */
const KEY = Symbol.for('acp-jupyter');

export function shareClient(client: Client): void {
  Reflect.set(window, KEY, client);
}

export function unshareClient(): void {
  Reflect.deleteProperty(window, KEY);
}

/** The client of this page, if one of the same version is there. */
export function sharedClient(): Client | null {
  const value: unknown = Reflect.get(window, KEY);
  return isClient(value) ? value : null;
}

function isClient(value: unknown): value is Client {
  return (
    typeof value === 'object' &&
    value !== null &&
    'apiVersion' in value &&
    value.apiVersion === API_VERSION
  );
}
