import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { Translate } from '../../views';
import { cellsOfOutput } from '../page/answer_cells';
import { IAcpClient } from '../page/client';
import { scrollToCell } from '../page/current_notebook';
import { turnActions } from '../page/turn_actions';
import { IAcpRendering } from '../rendering/plugin';
import { IAcpTurnOutputs } from './decoration';
import type { Decorate } from './decoration';
import { TURN_MIME } from './mime';
import { cellOfOutput, TurnRenderer } from './turn_renderer';

/** Before HTML (50) and Markdown (60), which the bundle may hold for other applications. */
const RANK = 10;

/** Draws the turn MIME type in JupyterLab and Notebook. */
export const rendererPlugin: JupyterFrontEndPlugin<IAcpTurnOutputs> = {
  id: 'acp-jupyter:renderer',
  description: 'Shows turns of agents in cell outputs.',
  autoStart: true,
  provides: IAcpTurnOutputs,
  requires: [IAcpClient, IRenderMimeRegistry],
  optional: [ITranslator, IAcpRendering],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    registry: IRenderMimeRegistry,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const decorations: Decorate[] = [];
    registry.addFactory(
      {
        // Safe in untrusted notebooks: only a turn that the server confirms has controls.
        safe: true,
        mimeTypes: [TURN_MIME],
        createRenderer: () =>
          new TurnRenderer({
            client,
            actions: (store, output) => ({
              ...turnActions(app, client, () => store.view.session, t),
              cells: cellsOfOutput(() => cellOfOutput(output), t),
              jumpTo: ({ cell_id }) => void goToCell(output, cell_id),
            }),
            decorations,
            rendering: rendering ?? undefined,
            t,
          }),
      },
      RANK,
    );
    return { decorate: make => decorations.push(make) };
  },
};

/** Shows another cell of the output's notebook. */
async function goToCell(output: Widget, cellId: string): Promise<void> {
  const panel = cellOfOutput(output)?.panel;
  const cell = panel === undefined ? null : await scrollToCell(panel, cellId);
  cell?.focus({ preventScroll: true });
}
