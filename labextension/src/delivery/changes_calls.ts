import { parseResult } from '../wire/results';
import type {
  Command,
  FileHunks,
  FileTexts,
  GetChanges,
  GetHistory,
  History,
  RevertTurn,
} from '../wire/types';

/** Git may have to look at many files. */
const CHANGES_SECONDS = 60;

/** Commands about the files that turns changed. */
export class ChangesCalls {
  readonly #command: (command: Command, seconds: number) => Promise<unknown>;

  constructor(command: (command: Command, seconds: number) => Promise<unknown>) {
    this.#command = command;
  }

  /**
   * A file's text before and after a turn; if it is not kept, the result says why.
   *
   * @param earlier - Ids of turns before it: the text is then that before the first of these.
   */
  async file(
    turnId: string,
    path: string,
    earlier: readonly string[] = [],
  ): Promise<FileTexts | null> {
    const command: GetChanges = {
      name: 'get_changes',
      turn_id: turnId,
      path,
      form: 'texts',
      earlier: [...earlier],
    };
    const reply = parseResult('get_changes', await this.#command(command, CHANGES_SECONDS));
    return reply.files[0] ?? null;
  }

  /** Reverts files of a turn, or parts of one; with `undo` reverts that. */
  async revert(turnId: string, what: RevertChoice): Promise<void> {
    const command: RevertTurn = {
      name: 'revert_turn',
      turn_id: turnId,
      paths: what.paths === undefined ? null : [...what.paths],
      hunks: what.hunks === undefined ? [] : [what.hunks],
      earlier: [...(what.earlier ?? [])],
      undo: what.undo ?? false,
      partial: false,
      authors: [...(what.authors ?? ['agent' as const])],
      in_document: what.inDocument ?? false,
    };
    parseResult('revert_turn', await this.#command(command, CHANGES_SECONDS));
  }

  /**
   * The turns of a notebook; with a turn also the files and cells after it, or before it; with a
   * path one of those files.
   */
  async history(
    notebookPath: string,
    { turnId = '', before = false, path = '' }: HistoryQuery = {},
  ): Promise<History> {
    const command: GetHistory = {
      name: 'get_history',
      notebook_path: notebookPath,
      turn_id: turnId,
      before,
      path,
    };
    return parseResult('get_history', await this.#command(command, CHANGES_SECONDS));
  }

  /** Ids of the sessions that changed a file, by its path on the server. */
  async sessionsOf(path: string): Promise<readonly string[]> {
    const command: Command = { name: 'list_changing_sessions', path };
    return parseResult('list_changing_sessions', await this.#command(command, CHANGES_SECONDS))
      .session_ids;
  }
}

/** A moment of a notebook's history, and one of its files. */
interface HistoryQuery {
  readonly turnId?: string;
  readonly before?: boolean;
  readonly path?: string;
}

/** What to revert; without paths and hunks all changes of the turn. */
interface RevertChoice {
  readonly paths?: readonly string[];
  readonly hunks?: FileHunks;
  readonly undo?: boolean;
  readonly authors?: readonly ('agent' | 'unknown')[];
  readonly earlier?: readonly string[];
  /** The open document was changed already: the server only records it. */
  readonly inDocument?: boolean;
}
