import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

/** Calls `show` for the cells of all notebooks: at first, and when cells or their metadata change. */
export function forEachCell(tracker: INotebookTracker, show: (cell: Cell) => void): void {
  const watch = (panel: NotebookPanel) => {
    const watched = new WeakSet<Cell>();
    let planned = false;
    const showAll = () => {
      planned = false;
      if (panel.isDisposed) {
        return;
      }
      for (const cell of panel.content.widgets) {
        if (!watched.has(cell)) {
          watched.add(cell);
          cell.model.metadataChanged.connect(plan);
        }
        show(cell);
      }
    };
    const plan = () => {
      if (!planned) {
        planned = true;
        requestAnimationFrame(showAll);
      }
    };
    void panel.context.ready.then(() => {
      panel.content.model?.cells.changed.connect(plan);
      plan();
    });
  };
  tracker.forEach(watch);
  tracker.widgetAdded.connect((_, panel) => watch(panel));
}
