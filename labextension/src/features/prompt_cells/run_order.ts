/** A cell that was run: whether it ran well. */
type Ran = Promise<boolean>;

/**
 * The order in which the cells of a notebook run where some are prompts that no kernel sees.
 *
 * A kernel runs its cells one after the other. A prompt waits for the cells that were run along
 * with it, as by *Run All*, but not for the kernel: a prompt that is run alone is sent at once. Cells
 * wait for the prompts before them. What waits for a cell that fails doesn't run.
 */
export class RunOrder {
  readonly #prompts = new Set<Ran>();
  /** The cells that were run by the same action of the user. */
  #together: Ran[] = [];

  /** Runs a cell of the kernel, at once unless a prompt is under way. */
  cell(run: () => Ran, waits: () => void): Ran {
    return this.#add(this.#prompts.size === 0 ? run() : after([...this.#prompts], run, waits));
  }

  /** Runs a prompt. */
  prompt(run: () => Ran, waits: () => void): Ran {
    const ran = this.#add(after([...this.#together], run, waits));
    this.#prompts.add(ran);
    const forget = () => this.#prompts.delete(ran);
    ran.then(forget, forget);
    return ran;
  }

  #add(ran: Ran): Ran {
    if (this.#together.length === 0) {
      // JupyterLab calls the executor for all cells of one action before anything else happens.
      queueMicrotask(() => {
        this.#together = [];
      });
    }
    this.#together.push(ran);
    return ran;
  }
}

async function after(before: readonly Ran[], run: () => Ran, waits: () => void): Ran {
  if (before.length > 0) {
    waits();
  }
  const ran = await Promise.all(before.map(each => each.catch(() => false)));
  return ran.every(Boolean) ? run() : false;
}
