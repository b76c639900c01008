import type { SessionStore } from '../state/store';
import { DRAFT } from '../state/ui';
import type { Part } from '../views';

/** What the stores need of a widget's model. */
export interface DraftModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** Trait of a message box: its text. */
const VALUE = 'value';

/**
 * The stores of a widget with its own message box and draft, separate from the panel's.
 *
 * A widget with only the box shares its draft with the kernel, as its trait `value`.
 */
export class OwnStores {
  readonly #model: DraftModel;
  readonly #part: Part;
  #from: SessionStore | null = null;
  #own: SessionStore | null = null;
  #stop: (() => void) | null = null;

  constructor(model: DraftModel, part: Part) {
    this.#model = model;
    this.#part = part;
  }

  /** The widget's own store of a session; the given one if it has no message box. */
  of(store: SessionStore): SessionStore {
    if (this.#part !== 'composer' && this.#part !== 'session') {
      return store;
    }
    if (this.#own === null || this.#from !== store) {
      this.dispose();
      this.#from = store;
      this.#own = store.apart();
      if (this.#part === 'composer') {
        this.#stop = shareDraft(this.#model, this.#own);
      }
    }
    return this.#own;
  }

  dispose(): void {
    this.#stop?.();
    this.#stop = null;
  }
}

function shareDraft(model: DraftModel, { ui }: SessionStore): () => void {
  const take = () => {
    const value: unknown = model.get(VALUE);
    if (typeof value === 'string' && value !== ui.value(DRAFT)) {
      ui.setValue(DRAFT, value);
    }
  };
  const give = () => {
    if (model.get(VALUE) !== ui.value(DRAFT)) {
      model.set(VALUE, ui.value(DRAFT));
      model.save_changes();
    }
  };
  take();
  const stop = ui.subscribe(DRAFT, give);
  model.on(`change:${VALUE}`, take);
  return () => {
    stop();
    model.off(`change:${VALUE}`, take);
  };
}
