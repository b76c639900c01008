import type { INotebookModel } from '@jupyterlab/notebook';

import { Failure } from '../../delivery/failure';
import { applyPlan, arrange, changeText, openCells } from './apply';
import { known, readCells } from './cells';
import type { CellJson, KnownCell } from './cells';
import { diskForm } from './diskForm';
import { identify } from './identify';
import { planMerge } from './merge';
import type { Merged } from './merged';
import type { Conflict } from './openDocument';

const INVALID = 'That is no notebook: it must be the JSON of nbformat 4, with a list of cells.';

/** A notebook, cell by cell. */
export class MergedNotebook implements Merged {
  readonly model: INotebookModel;
  #known: readonly KnownCell[];
  #saving: readonly KnownCell[] = [];

  constructor(model: INotebookModel) {
    this.model = model;
    this.#known = this.#now();
  }

  text(): string {
    return diskForm(this.model.toJSON());
  }

  noteSaving(): void {
    this.#saving = this.#now();
  }

  noteSaved(): void {
    this.#known = this.#saving;
  }

  noteLoaded(): void {
    this.#known = this.#now();
  }

  canLoad(content: unknown): boolean {
    return readCells(content) !== null;
  }

  load(content: unknown): readonly Conflict[] {
    const theirs = identify(this.#known, readCells(content) ?? [], makeId);
    const plan = planMerge(this.#known, openCells(this.model), theirs);
    applyPlan(this.model, plan);
    this.#known = theirs.map(known);
    this.model.dirty = !sameCells(this.#now(), this.#known);
    return plan.conflicts;
  }

  write(text: string, base: string | null): void {
    const cells = parse(text);
    const read = base === null ? null : parse(base);
    if (cells === null) {
      throw new Failure(INVALID, 'invalid');
    }
    // Notebooks before nbformat 4.5 have ids only here.
    const mine = openCells(this.model);
    const before = read === null ? this.#known : identify(mine.map(known), read, makeId).map(known);
    const plan = planMerge(before, mine, identify(before, cells, makeId));
    if (plan.conflicts.length > 0) {
      const numbers = plan.conflicts.map(({ id }) => mine.findIndex(cell => cell.id === id) + 1);
      throw new Failure(
        `Its user has changed the same cells since you read it (cell ${numbers.join(', ')}). ` +
          'Read it again, and change that.',
        'conflict',
      );
    }
    applyPlan(this.model, plan);
  }

  accept({ id, theirs }: Conflict): void {
    const ids = [...this.model.cells].map(cell => cell.id);
    const cell = [...this.model.cells].find(each => each.id === id);
    if (theirs === null) {
      arrange(
        this.model,
        ids.filter(each => each !== id),
        new Map(),
      );
    } else if (cell !== undefined) {
      changeText(cell.sharedModel, theirs);
    }
  }

  current({ id }: Conflict): string | null {
    const cell = [...this.model.cells].find(each => each.id === id);
    return cell?.sharedModel.getSource() ?? null;
  }

  #now(): KnownCell[] {
    return openCells(this.model).map(known);
  }
}

function parse(text: string): CellJson[] | null {
  try {
    return readCells(JSON.parse(text));
  } catch {
    return null;
  }
}

function sameCells(one: readonly KnownCell[], other: readonly KnownCell[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
