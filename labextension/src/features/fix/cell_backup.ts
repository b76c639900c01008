import type { Cell, ICodeCellModel } from '@jupyterlab/cells';

import { Failure } from '../../delivery/failure';
import type { Translate } from '../../views';
import { changeText } from '../../lab/documents/merge/notebook_model';

/** A code cell as it was, to put it back. */
export class CellBackup {
  readonly source: string;
  readonly #outputs: ReturnType<ICodeCellModel['outputs']['toJSON']>;
  readonly #count: number | null;
  readonly #trusted: boolean;
  readonly #mark: unknown;

  constructor(model: ICodeCellModel) {
    this.source = model.sharedModel.getSource();
    this.#outputs = model.outputs.toJSON();
    this.#count = model.executionCount;
    this.#trusted = model.trusted;
    this.#mark = model.getMetadata('acp');
  }

  /**
   * Restores source and outputs; the source in one undo step.
   *
   * @param since - The source that the cell must still have.
   * @throws Failure - if the cell runs, or was changed.
   */
  restore(model: ICodeCellModel, since: string, t: Translate): void {
    if (model.executionState === 'running') {
      throw new Failure(t('The cell is still running. Interrupt it first.'), 'running');
    }
    if (model.sharedModel.getSource() !== since) {
      throw new Failure(t('This cell was changed since. Undo that first.'), 'changed');
    }
    changeText(model.sharedModel, this.source);
    if (this.#mark === undefined) {
      model.deleteMetadata('acp');
    } else {
      model.setMetadata('acp', this.#mark);
    }
    model.trusted = this.#trusted;
    model.outputs.fromJSON(this.#outputs);
    model.executionCount = this.#count;
  }
}

/** Marks a cell that shows its earlier output beside the new one. */
const COMPARED = 'acp-mod-compared';

/**
 * Shows a copy of a cell's current output beside the next one; returns a function that ends that.
 */
export function showBefore({ node }: Cell, t: Translate): () => void {
  const area = node.querySelector<HTMLElement>('.jp-Cell-outputWrapper > .jp-Cell-outputArea');
  if (area === null) {
    return () => undefined;
  }
  const copy = area.cloneNode(true);
  const before = document.createElement('div');
  before.className = 'acp-Before';
  before.setAttribute('role', 'group');
  before.setAttribute('aria-label', t('Output before the fix'));
  before.dataset['acpHead'] = t('Before');
  before.append(...copy.childNodes);
  // An id must stay unique in the page.
  before.querySelectorAll('[id]').forEach(each => each.removeAttribute('id'));
  area.dataset['acpHead'] = t('With the fix');
  area.parentElement?.append(before);
  node.classList.add(COMPARED);
  return () => {
    before.remove();
    delete area.dataset['acpHead'];
    node.classList.remove(COMPARED);
  };
}
