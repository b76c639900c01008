import { UiState } from './ui';

/** What is open in a shared file: what its reader opens, all of it, or the newest step. */
export class SharedUi extends UiState {
  #all = false;
  #printing = false;
  #newest: ReadonlySet<string> = new Set();

  override isOpen(id: string, standard: boolean): boolean {
    return this.#printing || super.isOpen(id, standard || this.#all || this.#newest.has(id));
  }

  /** Opens or closes everything, whatever the reader has done to parts of it. */
  openAll(all: boolean): void {
    this.#all = all;
    this.forget();
  }

  /** Paper shows all; afterwards everything is as it was. */
  print(printing: boolean): void {
    this.#printing = printing;
    this.notifyAll();
  }

  /** These are open until there are newer ones. */
  openNewest(ids: readonly string[]): void {
    this.#newest = new Set(ids);
    this.notifyAll();
  }
}
