import type { CommModel } from './comm';

/** The constant state of a turn's widget: `acp_jupyter.kernel.turn.widgets`. */
export interface Traits {
  readonly turnId: string;
  readonly sessionId: string;
  readonly mode: 'server' | 'comm';
  readonly apiVersion: number;
  readonly notebookPath: string;
  readonly cellId: string;
}

export interface Model extends CommModel {
  get(name: string): unknown;
}

export function readTraits(model: Model): Traits {
  const text = (name: string) => {
    const value = model.get(name);
    return typeof value === 'string' ? value : '';
  };
  return {
    turnId: text('turn_id'),
    sessionId: text('session_id'),
    mode: model.get('mode') === 'comm' ? 'comm' : 'server',
    apiVersion: Number(model.get('api_version')),
    notebookPath: text('notebook_path'),
    cellId: text('cell_id'),
  };
}
