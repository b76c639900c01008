import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { Translate } from '../../views';
import type { SessionSummary } from '../../wire/types';
import { IAcpClient } from '../page/client';
import { CurrentNotebook } from '../page/current_notebook';
import { agentIcon } from '../page/icon';
import { REVIEW } from '../page/ids';
import { IAcpRendering } from '../rendering/plugin';
import type { ReviewWidget } from './review_widget';
import { RunBars } from './run_bar';
import { Runs } from './runs';
import { ofRun, ofSession, ofTurn, readSubject } from './subject';
import type { Subject } from './subject';

const REVIEW_RUN = 'acp-jupyter:review-run';

/** Commands that review changes of turns in the main area. */
export const reviewPlugin: JupyterFrontEndPlugin<void> = {
  id: 'acp-jupyter:review',
  description: 'Reviews what agents changed.',
  autoStart: true,
  requires: [IAcpClient],
  optional: [
    ILayoutRestorer,
    ICommandPalette,
    INotebookTracker,
    ITranslator,
    IAcpRendering,
    ILabShell,
  ],
  activate: (
    app: JupyterFrontEnd,
    client: IAcpClient,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    notebooks: INotebookTracker | null,
    translator: ITranslator | null,
    colours: IAcpRendering | null,
    labShell: ILabShell | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('acp_jupyter');
    const t: Translate = (text, ...values) => trans.__(text, ...values);
    const notebook = new CurrentNotebook(notebooks);
    const tracker = new WidgetTracker<ReviewWidget>({ namespace: 'acp-jupyter-review' });
    const runs = notebooks === null ? null : new Runs(client, notebooks, t);
    const newest = () => newestSession(client.sessions ?? [], notebook.path);

    const parts = { app, client, notebook, rendering: colours ?? undefined, t };
    const review = async (subject: Subject | null) => {
      if (subject === null) {
        return;
      }
      const { ReviewWidget, sheetOf } = await import('./review_widget');
      let widget = tracker.find(each => each.id === subject.id);
      if (widget === undefined) {
        widget = new ReviewWidget(parts, sheetOf(subject, t), subject);
        // The main area of Jupyter Notebook holds its notebook and nothing else.
        app.shell.add(widget, labShell === null ? 'right' : 'main');
        void tracker.add(widget);
      }
      app.shell.activateById(widget.id);
    };
    const bars = new RunBars(run => void review(ofRun(run)), t);
    runs?.changed.add(run => bars.show(run, runs.last(run.panel)));

    app.commands.addCommand(REVIEW, {
      label: trans.__('Review What the Agent Changed'),
      caption: trans.__('Show what the session of this notebook changed, file by file'),
      icon: agentIcon,
      isEnabled: args => Object.keys(args).length > 0 || newest() !== null,
      execute: async args => {
        const { sessionId, turnId, subject } = args;
        const id = typeof sessionId === 'string' ? sessionId : (newest()?.session_id ?? '');
        if (subject !== undefined) {
          await review(readSubject(subject));
        } else if (id !== '' && typeof turnId === 'string' && turnId !== '') {
          await review(ofTurn(id, turnId, runs?.ofTurn(turnId) ?? null));
        } else if (id !== '') {
          await review(ofSession(id));
        }
      },
    });
    const lastRun = () => {
      const run = runs?.last(notebook.panel) ?? null;
      return run?.isReviewable === true ? run : null;
    };
    app.commands.addCommand(REVIEW_RUN, {
      label: trans.__('Review What the Last Run Changed'),
      caption: trans.__('Show what the cells changed that ran together last, file by file'),
      icon: agentIcon,
      isEnabled: () => lastRun() !== null,
      execute: async () => {
        const run = lastRun();
        await review(run === null ? null : ofRun(run));
      },
    });
    for (const command of [REVIEW, REVIEW_RUN]) {
      palette?.addItem({ command, category: trans.__('Agents') });
    }
    void restorer?.restore(tracker, {
      command: REVIEW,
      args: ({ subject }) => ({ subject: { ...subject } }),
      name: ({ id }) => id,
    });
  },
};

/** The session of a notebook that was used last, or of all. */
function newestSession(sessions: readonly SessionSummary[], path: string): SessionSummary | null {
  const own = sessions.filter(session => path !== '' && session.notebook_path === path);
  return (own.length > 0 ? own : sessions).reduce<SessionSummary | null>(
    (best, one) => ((best?.updated_at ?? -1) >= (one.updated_at ?? 0) ? best : one),
    null,
  );
}
