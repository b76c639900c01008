import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { Translate } from '../../views';
import { cellsOfOutput } from '../page/answer_cells';
import { IAcpClient } from '../page/client';
import { scrollToCell } from '../page/current_notebook';
import { REVIEW } from '../page/ids';
import { rewindingIn } from '../../features/history/rewinding';
import type { Place } from '../../features/history/rewinding';
import { turnActions } from '../page/turn_actions';
import { IAcpRendering } from '../rendering/plugin';
import { TURN_MIME } from './mime';
import { cellOfOutput, TurnRenderer } from './turn_renderer';

/** Before HTML (50) and Markdown (60), which the bundle may hold for other applications. */
const RANK = 10;

/** Draws the turn MIME type in JupyterLab and Notebook. */
export const rendererPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:renderer',
  description: 'Shows turns of agents in cell outputs.',
  autoStart: true,
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
              rewinding: rewindingIn(app, client, cellId => placeOf(output, cellId), t),
              jumpTo: ({ cell_id }) => void goToCell(output, cell_id),
            }),
            reviewVariants: variants =>
              void app.commands.execute(REVIEW, { variants: [...variants] }),
            rendering: rendering ?? undefined,
            t,
          }),
      },
      RANK,
    );
  },
};

/** A cell of the output's notebook; without an id its own. */
function placeOf(output: Widget, cellId: string): Place | null {
  const found = cellOfOutput(output);
  return found && { panel: found.panel, cellId: cellId === '' ? found.cell.model.id : cellId };
}

/** Shows another cell of the output's notebook. */
async function goToCell(output: Widget, cellId: string): Promise<void> {
  const panel = cellOfOutput(output)?.panel;
  const cell = panel === undefined ? null : await scrollToCell(panel, cellId);
  cell?.focus({ preventScroll: true });
}
