import type { INotebookModel } from '@jupyterlab/notebook';

import { Failure } from '../../../delivery/failure';
import { identify } from './identify_cells';
import { planMerge } from './merge_cells';
import type { Conflict, MergedContent } from './merged_content';
import { diskForm, known, loadedCells, readCells } from './notebook_json';
import type { CellJson, KnownCell } from './notebook_json';
import {
  asIn,
  knownMetadata,
  metadataText,
  namesIn,
  planMetadata,
  readMetadata,
  sameMetadata,
} from './notebook_metadata';
import type { KnownMetadata, MetadataPlan } from './notebook_metadata';
import {
  applyPlan,
  arrange,
  captureCells,
  changeCell,
  openCells,
  restoreCells,
} from './notebook_model';

const INVALID = 'That is not a notebook: it must be the JSON of nbformat 4, with a list of cells.';

/** Stands for the notebook's metadata in place of a cell's id in a conflict. */
const METADATA = '';

/** A notebook as it was last loaded or saved, as short keys. */
interface Known {
  readonly cells: readonly KnownCell[];
  readonly metadata: KnownMetadata;
}

/** The content of an open notebook, merged cell by cell. */
export class MergedNotebook implements MergedContent {
  readonly model: INotebookModel;
  #known: Known;
  #saving: Known;

  constructor(model: INotebookModel) {
    this.model = model;
    this.#known = this.#saving = this.#now();
  }

  text(): string {
    return diskForm(this.model.toJSON());
  }

  noteSaving(): void {
    this.#saving = this.#now();
  }

  noteSaved(): boolean {
    this.#known = this.#saving;
    return isSame(this.#now(), this.#known);
  }

  noteLoaded(): void {
    this.#known = this.#now();
  }

  noteFile(content: unknown): boolean {
    const now = this.#now();
    const loaded = loadedCells(content);
    if (loaded === null) {
      return false;
    }
    const cells = identify(now.cells, loaded, makeId).map(known);
    const isHere = isSame(now, { cells, metadata: knownMetadata(readMetadata(content)) });
    this.#known = isHere ? now : this.#known;
    return isHere;
  }

  canLoad(content: unknown): boolean {
    return loadedCells(content) !== null;
  }

  load(content: unknown): readonly Conflict[] {
    const { cells, metadata } = this.#known;
    const theirs = identify(cells, loadedCells(content) ?? [], makeId);
    const plan = planMerge(cells, openCells(this.model), theirs);
    applyPlan(this.model, plan);
    const theirMetadata = readMetadata(content);
    const metadataPlan = planMetadata(metadata, this.#now().metadata, theirMetadata);
    applyMetadata(this.model, metadataPlan);
    this.#known = { cells: theirs.map(known), metadata: knownMetadata(theirMetadata) };
    this.model.dirty = !isSame(this.#now(), this.#known);
    const names = metadataPlan.conflicts;
    return names.length === 0
      ? plan.conflicts
      : [...plan.conflicts, { id: METADATA, theirs: metadataText(names, theirMetadata) }];
  }

  capture(): ReturnType<MergedContent['capture']> {
    const base = this.#known.cells;
    const mine = captureCells(this.model);
    return () => {
      const theirs = captureCells(this.model);
      if (theirs.length === mine.length && theirs.every((cell, index) => cell === mine[index])) {
        return null;
      }
      if (isUnchanged(base, mine)) {
        this.noteLoaded(); // unsaved changes are not part of the file
      }
      return () => restoreCells(this.model, base, mine);
    };
  }

  write(text: string, base: string | null): void {
    const written = parse(text);
    const read = base === null ? null : parse(base);
    if (written === null) {
      throw new Failure(INVALID, 'invalid');
    }
    const twice = repeated(written.cells);
    if (twice !== undefined) {
      throw new Failure(`Two cells have the id ${twice}: each needs its own.`, 'invalid');
    }
    // Notebooks before nbformat 4.5 have ids only in the page.
    const mine = openCells(this.model);
    const before =
      read === null ? this.#known.cells : identify(mine.map(known), read.cells, makeId).map(known);
    const plan = planMerge(before, mine, identify(before, written.cells, makeId));
    if (plan.conflicts.length > 0) {
      const numbers = plan.conflicts.map(({ id }) => mine.findIndex(cell => cell.id === id) + 1);
      throw new Failure(
        `The same cells were changed since you read it (cell ${numbers.join(', ')}). ` +
          'Read it again, and change that.',
        'conflict',
      );
    }
    const metadata = planMetadata(
      read === null ? this.#known.metadata : knownMetadata(read.metadata),
      this.#now().metadata,
      written.metadata,
    );
    if (metadata.conflicts.length > 0) {
      throw new Failure(
        `The notebook’s metadata was changed since you read it (${metadata.conflicts.join(', ')}). ` +
          'Read it again, and change that.',
        'conflict',
      );
    }
    applyPlan(this.model, plan);
    applyMetadata(this.model, metadata);
  }

  accept({ id, theirs, attachments }: Conflict): void {
    if (id === METADATA) {
      applyMetadata(this.model, asIn(theirs ?? '{}'));
      return;
    }
    const ids = [...this.model.cells].map(cell => cell.id);
    const cell = [...this.model.cells].find(each => each.id === id);
    if (theirs === null) {
      arrange(
        this.model,
        ids.filter(each => each !== id),
        new Map(),
      );
    } else if (cell !== undefined) {
      changeCell(cell, { id, source: theirs, ...(attachments && { attachments }) });
    }
  }

  current({ id, theirs }: Conflict): string | null {
    if (id === METADATA) {
      const names = namesIn(theirs ?? '{}');
      return metadataText(names, this.model.sharedModel.getMetadata());
    }
    const cell = [...this.model.cells].find(each => each.id === id);
    return cell?.sharedModel.getSource() ?? null;
  }

  subjectOf({ id }: Conflict): number | 'metadata' {
    return id === METADATA
      ? 'metadata'
      : [...this.model.cells].findIndex(cell => cell.id === id) + 1;
  }

  #now(): Known {
    return {
      cells: openCells(this.model).map(known),
      metadata: knownMetadata(this.model.sharedModel.getMetadata()),
    };
  }
}

function parse(text: string) {
  try {
    const notebook: unknown = JSON.parse(text);
    const cells = readCells(notebook);
    return cells === null ? null : { cells, metadata: readMetadata(notebook) };
  } catch {
    return null;
  }
}

function applyMetadata(
  { sharedModel: shared }: INotebookModel,
  { set, removed }: Omit<MetadataPlan, 'conflicts'>,
): void {
  for (const [name, value] of set) {
    shared.setMetadata(name, value);
  }
  removed.forEach(name => shared.deleteMetadata(name));
}

function isSame(open: Known, disk: Known): boolean {
  return (
    JSON.stringify(open.cells) === JSON.stringify(disk.cells) &&
    sameMetadata(open.metadata, disk.metadata)
  );
}

function isUnchanged(base: readonly KnownCell[], mine: readonly CellJson[]): boolean {
  return JSON.stringify(mine.map(known)) === JSON.stringify(base);
}

/** An id that several cells share. */
function repeated(cells: readonly Pick<KnownCell, 'id'>[]): string | undefined {
  const ids = cells.map(({ id }) => id).filter(id => id !== '');
  return ids.find((id, index) => ids.indexOf(id) < index);
}

function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
