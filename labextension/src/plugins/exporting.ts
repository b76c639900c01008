import type { JupyterFrontEnd } from '@jupyterlab/application';

import { labAccess } from '../delivery/api';
import { Failure, refusal } from '../delivery/failure';
import { API_PATH } from '../delivery/page';
import type { ExportFormat } from '../views';
import { isRecord } from '../wire/read';

const SUFFIXES: Record<ExportFormat, string> = { traffic: 'ndjson', markdown: 'md', html: 'html' };

/** Gives the user a session as a file. */
export async function exportSession(
  app: JupyterFrontEnd,
  sessionId: string,
  format: ExportFormat,
): Promise<void> {
  const access = labAccess(app.serviceManager.serverSettings);
  const path = `${API_PATH}sessions/${encodeURIComponent(sessionId)}/`;
  const answer = await access.get(
    path + (format === 'traffic' ? 'traffic' : `transcript?format=${format}`),
  );
  if (!answer.ok) {
    throw await failureOf(answer);
  }
  saveAs(
    format === 'traffic' ? await answer.blob() : new Blob([textOf(await answer.json(), format)]),
    `session-${sessionId.slice(0, 8)}.${SUFFIXES[format]}`,
  );
}

async function failureOf(answer: Response): Promise<Failure> {
  const body: unknown = await answer.json().catch(() => null);
  const told = isRecord(body) && typeof body.message === 'string' ? body.message : '';
  return told === '' ? refusal(answer.status) : new Failure(told, 'export');
}

function textOf(transcript: unknown, format: string): string {
  const text = isRecord(transcript) ? transcript[format] : undefined;
  if (typeof text !== 'string') {
    throw new Failure('The server answered with something else. Its version may differ.', 'export');
  }
  return text;
}

function saveAs(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
