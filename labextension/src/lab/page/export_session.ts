import type { JupyterFrontEnd } from '@jupyterlab/application';

import { Failure, refusal } from '../../delivery/failure';
import { API_PATH } from '../../delivery/transport';
import type { ExportFormat } from '../../views';
import { isRecord } from '../../wire/read';
import { labAccess } from './client';

const SUFFIXES: Record<ExportFormat, string> = {
  traffic: 'ndjson',
  markdown: 'md',
  html: 'html',
  shared: 'html',
};

/** Downloads a session as a file, or one turn of it. */
export async function exportSession(
  app: JupyterFrontEnd,
  sessionId: string,
  format: ExportFormat,
  turnId = '',
): Promise<void> {
  const access = labAccess(app.serviceManager.serverSettings);
  const path = `${API_PATH}sessions/${encodeURIComponent(sessionId)}/`;
  const turn = turnId === '' ? '' : `&turn_id=${encodeURIComponent(turnId)}`;
  const answer = await access.get(
    path + (format === 'traffic' ? 'traffic' : `transcript?format=${format}${turn}`),
  );
  if (!answer.ok) {
    throw await failureOf(answer);
  }
  saveAs(
    format === 'traffic' ? await answer.blob() : new Blob([textOf(await answer.json(), format)]),
    `${nameOf(sessionId, format, turnId)}.${SUFFIXES[format]}`,
  );
}

function nameOf(sessionId: string, format: ExportFormat, turnId: string): string {
  if (turnId !== '') {
    return `turn-${turnId.slice(0, 8)}`;
  }
  return `${format === 'shared' ? 'shared' : 'session'}-${sessionId.slice(0, 8)}`;
}

async function failureOf(answer: Response): Promise<Failure> {
  const body: unknown = await answer.json().catch(() => null);
  const message = isRecord(body) && typeof body.message === 'string' ? body.message : '';
  return message === '' ? refusal(answer.status) : new Failure(message, 'export');
}

function textOf(transcript: unknown, format: string): string {
  const text = isRecord(transcript) ? transcript[format] : undefined;
  if (typeof text !== 'string') {
    throw new Failure('The server’s answer could not be read. Its version may differ.', 'export');
  }
  return text;
}

function saveAs(content: Blob, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(content);
  anchor.download = name;
  anchor.click();
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
