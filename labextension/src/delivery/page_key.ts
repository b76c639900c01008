import { isRecord } from '../wire/read';

/** The page's configuration, which the server writes into it. */
const CONFIG = 'jupyter-config-data';

/** The configuration's name for the key. */
export const KEY_OPTION = 'acpPageKey';

/** The key that the server gave to this page when the browser loaded it; empty if it gave none. */
export function readPageKey(): string {
  const key = readConfig()[KEY_OPTION];
  return typeof key === 'string' ? key : '';
}

/** Removes the key from the page before any output is drawn, which could read it. */
export function takePageKey(): string {
  const key = readPageKey();
  const element = document.getElementById(CONFIG);
  if (element !== null && key !== '') {
    element.textContent = JSON.stringify({ ...readConfig(), [KEY_OPTION]: '' });
  }
  return key;
}

function readConfig(): Readonly<Record<string, unknown>> {
  const text = document.getElementById(CONFIG)?.textContent;
  const config: unknown = text ? JSON.parse(text) : null;
  return isRecord(config) ? config : {};
}

/** Base URL of a Jupyter page, from the page itself; `null` in any other page. */
export function pageBaseUrl(): URL | null {
  const { baseUrl } = readConfig();
  return typeof baseUrl === 'string' ? new URL(baseUrl, location.href) : null;
}
