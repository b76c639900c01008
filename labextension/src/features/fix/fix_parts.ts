import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import type { Rendering, Translate } from '../../views';
import type { IAcpPanel } from '../../lab/panel/session_panel';

export const FIX_ERROR = 'acp-jupyter:fix-error';

/** What a fix of a cell needs. */
export interface FixParts {
  readonly app: JupyterFrontEnd;
  readonly client: Client;
  readonly panel: IAcpPanel;
  readonly notebook: NotebookPanel;
  readonly rendering: Rendering | undefined;
  readonly t: Translate;
  /** Asks again for a fix of a cell. */
  readonly again: (cellId: string) => void;
}
