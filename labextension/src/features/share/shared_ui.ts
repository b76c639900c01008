import { UiState } from '../../state/ui';

/** What is unfolded in a shared file: what its reader opens, everything, or the newest step. */
export class SharedUi extends UiState {
  #all = false;
  #printing = false;
  #newest: ReadonlySet<string> = new Set();

  override isOpen(id: string, standard: boolean): boolean {
    return this.#printing || super.isOpen(id, standard || this.#all || this.#newest.has(id));
  }

  /** Opens or closes everything, whatever the reader has opened or closed. */
  openAll(all: boolean): void {
    this.#all = all;
    this.forget();
  }

  /** Print shows everything; afterwards the page is as before. */
  print(printing: boolean): void {
    this.#printing = printing;
    this.notifyAll();
  }

  /** These stay open until there are newer ones. */
  openNewest(ids: readonly string[]): void {
    this.#newest = new Set(ids);
    this.notifyAll();
  }
}
