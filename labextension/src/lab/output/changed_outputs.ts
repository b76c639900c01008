import type { SavedOutput, SavedOutputs } from '../../wire/results';
import type { GetSavedOutputs } from '../../wire/types';

/** Number of newest turns that are checked again although their outputs are up to date. */
const MAX_SETTLED = 20;

/** A page that saved the file may have been closed before the end of a turn's text arrived. */
const LATE_SECONDS = 60;

/** The most that the server accepts. */
const MAX_UNFINISHED = 1_000;

interface Server {
  run(command: GetSavedOutputs): Promise<SavedOutputs>;
}

/** The server's reports about a notebook's turns, each change once. */
export class ChangedOutputs {
  /** The sessions that the turns are of. */
  readonly sessionIds = new Set<string>();
  readonly #server: Server;
  readonly #byTurn = new Map<string, SavedOutput>();
  #known: { readonly after: number | null; readonly epoch: string } = { after: null, epoch: '' };

  constructor(server: Server) {
    this.#server = server;
  }

  /** The saved outputs of turns that may have to be put into a cell. */
  get outputs(): readonly SavedOutput[] {
    return [...this.#byTurn.values()];
  }

  /** Starts again for another notebook. */
  reset(): void {
    this.#known = { after: null, epoch: '' };
  }

  /**
   * Asks for changes; resolves to whether it must ask again.
   *
   * @param savedAt When the document was written before it was loaded here: it has the turns that
   * ended before, except `unfinished` ones.
   */
  async fetch(
    path: string,
    savedAt: number | null,
    unfinished: () => readonly string[],
  ): Promise<boolean> {
    const asked = this.#known;
    const { outputs, number, epoch } = await this.#server.run({
      ...{ name: 'get_records', notebook_path: path, ...asked },
      ended_after: savedAt === null ? null : savedAt - LATE_SECONDS,
      unfinished: asked.after === null ? unfinished().slice(-MAX_UNFINISHED) : [],
    });
    if (asked !== this.#known) {
      return true;
    }
    for (const saved of outputs) {
      this.#byTurn.delete(saved.turn_id);
      this.#byTurn.set(saved.turn_id, saved);
      this.sessionIds.add(saved.session_id);
    }
    if (asked.after !== null && asked.epoch !== epoch) {
      this.reset();
      return true;
    }
    this.#known = { after: number, epoch };
    return false;
  }

  /** Forgets all but these turns and the newest of the others. */
  keep(turnIds: ReadonlySet<string>): void {
    const others = [...this.#byTurn.keys()].filter(turnId => !turnIds.has(turnId));
    others.slice(0, -MAX_SETTLED).forEach(turnId => this.#byTurn.delete(turnId));
  }
}
