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
};

/** Downloads a session as a file. */
export async function exportSession(
  app: JupyterFrontEnd,
  sessionId: string,
  format: ExportFormat,
): Promise<void> {
  const name = `session-${sessionId.slice(0, 8)}.${SUFFIXES[format]}`;
  if (format === 'traffic') {
    const answer = await answerTo(app, sessionId, 'traffic');
    saveAs(await answer.blob(), name);
  } else {
    await saveTranscript(app, sessionId, { format, name });
  }
}

/** Downloads the transcript of a session, or of one turn, in a format. */
export async function saveTranscript(
  app: JupyterFrontEnd,
  sessionId: string,
  { format, name, turnId = '' }: { format: string; name: string; turnId?: string },
): Promise<void> {
  const turn = turnId === '' ? '' : `&turn_id=${encodeURIComponent(turnId)}`;
  const answer = await answerTo(app, sessionId, `transcript?format=${format}${turn}`);
  saveAs(new Blob([textOf(await answer.json(), format)]), name);
}

async function answerTo(app: JupyterFrontEnd, sessionId: string, asked: string): Promise<Response> {
  const access = labAccess(app.serviceManager.serverSettings);
  const answer = await access.get(`${API_PATH}sessions/${encodeURIComponent(sessionId)}/${asked}`);
  if (!answer.ok) {
    throw await failureOf(answer);
  }
  return answer;
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
