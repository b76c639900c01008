import type { Cell } from '@jupyterlab/cells';
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { Client } from '../../../delivery/client';
import { SessionStore } from '../../../state/store';
import type { Mounted, Rendering, Translate } from '../../../views';
import { isKept, onKept, setKept } from '../../../views/changes/decisions';
import { hunkKey } from '../../../views/diff/hunks';
import { commandActions } from '../../../views/command_actions';
import type { Scene } from '../../../views/scene';
import { deletedCells } from '../../documents/merge/deleted_cells';
import type { DeletedCells } from '../../documents/merge/deleted_cells';
import { CellAnnouncer, mountCellNote } from './cell_note';
import type { CellNoteProps } from './cell_note';
import { changedCells, standingOf } from './changed_cells';
import type { CellStep, ChangedCell } from './changed_cells';
import { withDeleted } from './deletions';
import type { CellWatcher } from './cell_watcher';
import type { NotebookTurns } from './notebook_turns';
import { anchorOf, findCell, revertCell } from './revert_cell';
import { FetchedSteps, RevertReports } from './server_changes';

/** Pause in typing after which the notes are drawn again. */
const PAUSE_MS = 200;

/** Stands for the session of a change whose turn still runs. */
const NOTHING = new SessionStore('');

interface Parts {
  readonly client: Client;
  readonly turns: NotebookTurns;
  readonly rendering: Rendering | undefined;
  readonly watchers: readonly CellWatcher[];
  readonly t: Translate;
}

/** Shows under the cells of an open notebook what agents changed in them. */
export class CellReview {
  readonly #panel: NotebookPanel;
  readonly #model: INotebookModel;
  readonly #parts: Parts;
  readonly #actions: ReturnType<typeof commandActions>;
  readonly #stops: (() => void)[];
  readonly #steps: FetchedSteps;
  readonly #bars = new Map<Cell, CellBar>();
  readonly #reports: RevertReports;
  readonly #deleted: DeletedCells;
  readonly #announcer: CellAnnouncer;
  /** Cells that are not drawn yet. */
  readonly #awaited = new WeakSet<Cell>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;

  constructor(panel: NotebookPanel, model: INotebookModel, parts: Parts) {
    this.#panel = panel;
    this.#model = model;
    this.#parts = parts;
    this.#actions = commandActions(parts.client.run);
    this.#steps = new FetchedSteps(this.#actions.getChanges, () => this.#plan(0));
    this.#reports = new RevertReports(parts.client.run);
    this.#announcer = new CellAnnouncer(panel.node);
    this.#deleted = deletedCells(model);
    this.#stops = [
      parts.turns.changed.add(() => this.#plan(0)),
      this.#deleted.changed.add(() => this.#plan(0)),
      onKept(() => this.#plan(0)),
    ];
    model.contentChanged.connect(this.#changed, this);
    this.#plan(0);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#steps.dispose();
    this.#stops.forEach(stop => stop());
    this.#model.contentChanged.disconnect(this.#changed, this);
    this.#bars.forEach(bar => bar.dispose());
    this.#bars.clear();
    this.#announcer.dispose();
  }

  #changed(): void {
    this.#plan(PAUSE_MS);
  }

  #plan(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), milliseconds);
  }

  #draw(): void {
    if (this.#disposed) {
      return;
    }
    const stores = new Map<string, SessionStore>();
    const steps = this.#parts.turns.all().flatMap(({ turn, file, store, agent }) => {
      stores.set(turn.turn_id, store);
      const alone = turn.changes?.words === '';
      return this.#steps.of({ turnId: turn.turn_id, agent, alone }, file.path);
    });
    this.#reports.check(
      changed => standingOf(changed, sourceOf(this.#model, changed.cellId)) === 'open',
    );
    this.#deleted.forget([...this.#model.cells].map(({ id }) => id));
    const { shown: changedList, kept } = withDeleted(
      changedCells(steps, isStepKept),
      this.#deleted.all,
      id => this.#nameOf(id),
    );
    this.#parts.watchers.forEach(each => each.update(steps));
    kept.forEach(keepStep);
    const changesByCell = this.#placement(changedList);
    for (const [cell, bar] of this.#bars) {
      if (cell.isDisposed || !changesByCell.has(cell)) {
        this.#bars.delete(cell);
        this.#close(cell, bar);
      }
    }
    for (const [cell, found] of changesByCell) {
      this.#show(cell, found, stores);
    }
  }

  /** The changes to show, by the cell under which they are shown. */
  #placement(changedList: readonly ChangedCell[]): Map<Cell, ChangedCell[]> {
    const cells = new Map(this.#panel.content.widgets.map(cell => [cell.model.id, cell]));
    const ids = new Set(cells.keys());
    const changesByCell = new Map<Cell, ChangedCell[]>();
    for (const changed of changedList) {
      const own = cells.get(changed.cellId);
      const source = own?.model.sharedModel.getSource() ?? null;
      const cell = own ?? cells.get(anchorOf(changed, ids) ?? '') ?? this.#panel.content.widgets[0];
      if (cell !== undefined && standingOf(changed, source) !== 'undone') {
        changesByCell.set(cell, [...(changesByCell.get(cell) ?? []), changed]);
      }
    }
    return changesByCell;
  }

  #show(
    cell: Cell,
    changedList: readonly ChangedCell[],
    stores: ReadonlyMap<string, SessionStore>,
  ): void {
    if (cell.isPlaceholder()) {
      // A cell that was never on the screen has no elements yet.
      if (!this.#awaited.has(cell)) {
        this.#awaited.add(cell);
        void cell.ready.then(() => this.#plan(0));
      }
      return;
    }
    const props = { rows: changedList.flatMap(changed => this.#rowOf(cell, changed, stores)) };
    const known = this.#bars.get(cell);
    if (known !== undefined) {
      known.refresh(props);
      return;
    }
    const bar = CellBar.under(cell, props);
    if (bar !== null) {
      this.#bars.set(cell, bar);
    }
  }

  #rowOf(
    cell: Cell,
    changed: ChangedCell,
    stores: ReadonlyMap<string, SessionStore>,
  ): CellNoteProps['rows'] {
    const store = stores.get(changed.steps[changed.steps.length - 1]?.turnId ?? '') ?? NOTHING;
    const { rendering, t } = this.#parts;
    const { answerPermission, cancel } = this.#actions;
    const now = findCell(this.#model, changed.cellId);
    const scene: Scene = {
      store,
      host: 'panel',
      rendering,
      t,
      announce: words => this.#announcer.say(words),
      actions: { answerPermission, cancel },
    };
    return [
      {
        changed,
        scene,
        language: languageOf(this.#model, changed),
        number: now === undefined ? null : this.#panel.content.widgets.indexOf(cell) + 1,
        source: sourceOf(this.#model, changed.cellId),
        keep: name => {
          changed.steps.forEach(keepStep);
          this.#deleted.dismiss(changed.cellId);
          this.#announcer.say(t('%1: kept', name));
        },
        revert: name => {
          revertCell(this.#model, changed, t);
          this.#reports.report(changed);
          this.#deleted.forget([changed.cellId]);
          this.#announcer.say(t('%1: reverted', name));
        },
      },
    ];
  }

  #nameOf(agentId: string): string {
    const sessions = this.#parts.client.sessions ?? [];
    return sessions.find(({ agent_id: id }) => id === agentId)?.agent_name || agentId;
  }

  /** Removes a note; if it had the focus, the cell gets it. */
  #close(cell: Cell, bar: CellBar): void {
    const hadFocus = bar.node.contains(document.activeElement);
    bar.dispose();
    if (hadFocus) {
      const { content } = this.#panel;
      (cell.isDisposed ? (content.activeCell ?? content) : cell).node.focus({
        preventScroll: true,
      });
    }
  }
}

function sourceOf(model: INotebookModel, cellId: string): string | null {
  return findCell(model, cellId)?.sharedModel.getSource() ?? null;
}

function languageOf(model: INotebookModel, { before, after }: ChangedCell): string {
  const type = (after ?? before)?.cell_type ?? 'code';
  return type === 'code' ? model.defaultKernelLanguage || 'python' : type;
}

function isStepKept({ turnId, path, range }: CellStep): boolean {
  return isKept(turnId, path, hunkKey(range));
}

function keepStep({ turnId, path, range }: CellStep): void {
  setKept(turnId, path, hunkKey(range), true);
}

/** The widget of the note under a cell; disposed with the cell. */
export class CellBar extends Widget {
  readonly #mounted: Mounted<CellNoteProps>;

  constructor(props: CellNoteProps) {
    super();
    this.addClass('acp-CellBar');
    this.#mounted = mountCellNote(this.node, props);
  }

  /** Adds a note at the end of a cell; `null` if that is not possible. */
  static under(cell: Cell, props: CellNoteProps): CellBar | null {
    const bar = new CellBar(props);
    if (!(cell.layout instanceof PanelLayout)) {
      bar.dispose();
      return null;
    }
    cell.layout.addWidget(bar);
    return bar;
  }

  refresh(props: CellNoteProps): void {
    this.#mounted.update(props);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#mounted.dispose();
      super.dispose();
    }
  }
}
