import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Client } from '../../delivery/client';
import { isRecord, text, texts } from '../../wire/read';
import { isTurns } from '../../state/changed_files';
import type { ChangedFile, TurnState } from '../../wire/types';
import { NotebookSessions } from '../page/notebook_sessions';

/** The turns of cells that were run together. */
export class Run {
  readonly turns = new Map<string, TurnState>();
  readonly name: string;
  readonly panel: NotebookPanel;
  readonly cells: readonly Cell[];
  /** Whether its bar was closed or used. */
  isSeen = false;
  /** Whether all of its cells have ended. */
  isOver = false;
  /** Turns that existed before the run. */
  readonly #former: ReadonlySet<string>;
  /** Ids of its turns, if an earlier page saw the run. */
  readonly #own: ReadonlySet<string>;
  readonly #sessions: NotebookSessions;

  constructor(
    panel: NotebookPanel,
    what: {
      readonly name: string;
      readonly cells?: readonly Cell[];
      readonly turnIds?: readonly string[];
    },
    client: Client,
  ) {
    this.panel = panel;
    this.cells = what.cells ?? [];
    this.name = what.name;
    this.#own = new Set(what.turnIds);
    this.#sessions = new NotebookSessions(client, panel.context.localPath);
    this.#former = new Set(this.#sessions.turns().map(turn => turn.turn_id));
  }

  /** Path of its notebook. */
  get path(): string {
    return this.panel.context.localPath;
  }

  /** In the order of their first turns. */
  get sessionIds(): string[] {
    return [...new Set([...this.turns.values()].map(turn => turn.session_id))];
  }

  /** Whether all of its turns are done, and files were changed. */
  get isReviewable(): boolean {
    const turns = [...this.turns.values()];
    return this.isOver && turns.every(({ status }) => status === 'done') && this.files > 0;
  }

  /** The changes of its files, by absolute path, in the order of its turns. */
  changes(): Map<string, { readonly turnId: string; readonly file: ChangedFile }[]> {
    const found = new Map<string, { readonly turnId: string; readonly file: ChangedFile }[]>();
    for (const { turn_id: turnId, session_id, changes } of this.turns.values()) {
      for (const file of (changes?.files ?? []).filter(isTurns)) {
        const absolutePath = `${this.#sessions.folder(session_id)}/${file.path}`;
        found.set(absolutePath, [...(found.get(absolutePath) ?? []), { turnId, file }]);
      }
    }
    return found;
  }

  /** Whether some files were neither kept nor reverted. */
  hasOpenChanges(isTouched: (turnIds: readonly string[], path: string) => boolean): boolean {
    return [...this.changes().values()].some(changes => {
      const ids = changes.map(({ turnId }) => turnId);
      return (
        !changes.every(({ turnId, file }) => file.reverted || isTouched([turnId], file.path)) &&
        !changes.some(({ file }) => isTouched(ids, file.path))
      );
    });
  }

  /** How many files its turns changed. */
  get files(): number {
    const turns = [...this.turns.values()];
    return turns.reduce((sum, { changes }) => sum + (changes?.left_out ?? 0), this.changes().size);
  }

  /** Updates its turns from the sessions; adds new ones only while `open`. */
  update(open: boolean): void {
    const ids = new Set(this.cells.map(cell => cell.model.id));
    const { path } = this;
    for (const turn of this.#sessions.turns()) {
      const { turn_id: id, origin } = turn;
      const isOwn = origin?.notebook_path === path && ids.has(origin.cell_id);
      const isNew = open && isOwn && !this.#former.has(id);
      if (this.turns.has(id) || this.#own.has(id) || isNew) {
        this.turns.set(id, turn);
      }
    }
  }

  dispose(): void {
    this.#sessions.dispose();
  }
}

const RUNS_KEY = 'acp-jupyter:runs';

/** Most runs that are remembered, of all notebooks. */
const MAX_REMEMBERED_RUNS = 20;

const MAX_REMEMBERED_TURNS = 500;

/** A run that was not reviewed yet: the ids of its turns, without their changes. */
export interface RememberedRun {
  readonly path: string;
  readonly name: string;
  readonly turnIds: readonly string[];
}

/** The newest run of a notebook, as far as this browser knows. */
export function rememberedRun(path: string): RememberedRun | null {
  return rememberedRuns().find(run => run.path === path) ?? null;
}

/** Remembers a run in place of an earlier one of its notebook. */
export function rememberRun(run: RememberedRun): void {
  const { path, name } = run;
  writeRuns([
    { path, name, turnIds: run.turnIds.slice(-MAX_REMEMBERED_TURNS) },
    ...othersThan(path),
  ]);
}

/** Forgets a run whose bar was used or closed, so that the bar is not shown again. */
export function forgetRun({ path, turnIds }: RememberedRun): void {
  if (rememberedRun(path)?.turnIds.some(id => turnIds.includes(id)) === true) {
    writeRuns(othersThan(path));
  }
}

function othersThan(path: string): RememberedRun[] {
  return rememberedRuns().filter(run => run.path !== path);
}

function writeRuns(runs: readonly RememberedRun[]): void {
  try {
    localStorage.setItem(RUNS_KEY, JSON.stringify(runs.slice(0, MAX_REMEMBERED_RUNS)));
  } catch {
    // Remembered in this page only.
  }
}

/** Another version may have written it. */
function rememberedRuns(): RememberedRun[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(RUNS_KEY) ?? '[]');
    return (Array.isArray(value) ? value : []).flatMap((each: unknown) => {
      const run = isRecord(each)
        ? { path: text(each, 'path'), name: text(each, 'name'), turnIds: texts(each, 'turnIds') }
        : null;
      return run === null || run.path === '' || run.turnIds.length === 0 ? [] : [run];
    });
  } catch {
    return [];
  }
}
