import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { API_PATH } from '../../delivery/transport';
import { parseCheckLine } from './parse_check';
import { isRecord, text } from '../../wire/read';
import type { CheckLine } from '../../wire/types';

/** What is checked: the notebook as the page has it, and its kernel. */
export interface Checked {
  readonly path: string;
  readonly kernelName: string;
  readonly notebook: unknown;
}

/**
 * Has the server check a notebook, and yields its reports up to the outcome; the check ends with
 * the request.
 *
 * @throws Error - with a message for the user.
 */
export async function* checkLines(
  settings: ServerConnection.ISettings,
  { path, kernelName, notebook }: Checked,
  signal: AbortSignal,
): AsyncGenerator<CheckLine> {
  const response = await ServerConnection.makeRequest(
    URLExt.join(settings.baseUrl, API_PATH, 'check'),
    {
      method: 'POST',
      body: JSON.stringify({ path, kernel_name: kernelName, notebook }),
      signal,
    },
    settings,
  );
  if (!response.ok || response.body === null) {
    const failure: unknown = await response.json().catch(() => null);
    throw new Error((isRecord(failure) ? text(failure, 'message') : '') || response.statusText);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter(each => each !== '')) {
        const told = parseCheckLine(line);
        if (told !== null) {
          yield told;
          if (told.type === 'ended') {
            return; // the server's process for it ends a moment later
          }
        }
      }
    }
  } finally {
    // Also if a line can't be read: the server ends the check with the request.
    await reader.cancel().catch(() => undefined);
  }
}
