import type { ErrorBody } from '../wire/types';

/** An error whose message can be shown to the user. */
export class Failure extends Error {
  constructor(
    message: string,
    /** A stable code for programs. */
    readonly reason: string,
    /** Further lines, e.g. the last of the agent's stderr. */
    readonly detail = '',
    /** What is wrong with each field of a form, by its name. */
    readonly fields: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  static of(body: ErrorBody): Failure {
    return new Failure(body.message, body.reason, body.detail, body.fields);
  }

  static from(error: unknown): Failure {
    return error instanceof Failure
      ? error
      : new Failure(error instanceof Error ? error.message : String(error), 'page');
  }
}

export const notConnected = (): Failure =>
  new Failure(
    'The page is not connected to the Jupyter server, so this was not sent. Try again when the connection is back.',
    'not_connected',
  );

export const connectionLost = (): Failure =>
  new Failure(
    'The connection was lost before the Jupyter server answered. The page shows what happened when the connection is back.',
    'connection_lost',
  );

export const noAnswer = (seconds: number): Failure =>
  new Failure(
    `The Jupyter server has not answered for ${seconds} seconds. It may still act on this; look before you try again.`,
    'no_answer',
  );

export const otherVersion = (version: string): Failure =>
  new Failure(
    `This page and the Jupyter server hold different versions of acp-jupyter (the server: ${version}). ` +
      'Reload the page. If that does not help, run "pip install --upgrade acp-jupyter" in the environment of the server and restart it. ' +
      'If it has two copies, "jupyter labextension list" shows where the old one is.',
    'version_mismatch',
  );

/** Why a server that answers over HTTP opens no WebSocket. */
export function refusal(status: number): Failure {
  switch (status) {
    case 401:
    case 403:
      return new Failure(
        'The Jupyter server no longer accepts this page. Log in again and reload the page.',
        'not_allowed',
      );
    case 404:
      return new Failure(
        'The Jupyter server runs without acp-jupyter. Run "pip install acp-jupyter" in its environment and restart it.',
        'not_installed',
      );
    default:
      return status < 400
        ? new Failure(
            'The Jupyter server answers, but its WebSocket does not open. A proxy in between may block it.',
            'no_websocket',
          )
        : new Failure(
            `The Jupyter server answers with error ${status}. Its log says more.`,
            'server',
          );
  }
}
