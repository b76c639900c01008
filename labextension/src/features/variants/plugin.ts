import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IAcpTurnOutputs } from '../../lab/output/decoration';
import { IAcpClient } from '../../lab/page/client';
import { CurrentNotebook } from '../../lab/page/current_notebook';
import { IAcpRendering } from '../../lab/rendering/plugin';
import type { ReviewWidget } from '../../lab/review/review_widget';
import type { Translate } from '../../views';
import { texts } from '../../wire/read';
import { VariantTabs } from './variant_tabs';

const REVIEW_VARIANTS = 'acp-jupyter:review-variants';

/** Shows the variants of a prompt as tabs above their output, and reviews them side by side. */
export const variantsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:variants',
  description: 'Shows the variants of a prompt.',
  autoStart: true,
  requires: [IAcpClient, IAcpTurnOutputs],
  optional: [ILayoutRestorer, INotebookTracker, ITranslator, IAcpRendering, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    outputs: IAcpTurnOutputs,
    restorer: ILayoutRestorer | null,
    notebooks: INotebookTracker | null,
    translator: ITranslator | null,
    rendering: IAcpRendering | null,
    labShell: ILabShell | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const notebook = new CurrentNotebook(notebooks);
    const parts = { app, client, notebook, rendering: rendering ?? undefined, t };
    const tracker = new WidgetTracker<ReviewWidget<readonly string[]>>({
      namespace: 'acp-jupyter-variants',
    });
    app.commands.addCommand(REVIEW_VARIANTS, {
      label: trans.__('Review the Variants of a Prompt'),
      isVisible: () => false,
      execute: async args => {
        const [first, ...others] = texts(args, 'sessionIds');
        if (first === undefined) {
          return;
        }
        const [{ ReviewWidget }, { holdTurns, sheetOf }] = await Promise.all([
          import('../../lab/review/review_widget'),
          import('./review'),
        ]);
        const sheet = sheetOf([first, ...others], t);
        let widget = tracker.find(({ id }) => id === sheet.id);
        if (widget === undefined) {
          widget = new ReviewWidget(parts, sheet, sheet.sessionIds);
          holdTurns(widget, client);
          // The main area of Jupyter Notebook holds its notebook and nothing else.
          app.shell.add(widget, labShell === null ? 'right' : 'main');
          void tracker.add(widget);
        }
        app.shell.activateById(widget.id);
      },
    });
    void restorer?.restore(tracker, {
      command: REVIEW_VARIANTS,
      args: ({ subject }) => ({ sessionIds: [...subject] }),
      name: ({ id }) => id,
    });
    const review = (sessionIds: readonly string[]) =>
      void app.commands.execute(REVIEW_VARIANTS, { sessionIds: [...sessionIds] });
    outputs.decorate((node, body) => new VariantTabs(node, body, review, t));
  },
};
