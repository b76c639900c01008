import { parseResult } from '../wire/results';
import type { Command, FileHunks, FileTexts, GetChanges, RevertTurn } from '../wire/types';

/** Git may have to look at many files. */
const CHANGES_SECONDS = 60;

/** What turns changed in their folders: read, and taken back. */
export class ChangesCalls {
  readonly #command: (command: Command, seconds: number) => Promise<unknown>;

  constructor(command: (command: Command, seconds: number) => Promise<unknown>) {
    this.#command = command;
  }

  /** A file before the turn, or the `earlier` ones, and after it; `null` if that is not kept. */
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
    return reply.known ? (reply.files[0] ?? null) : null;
  }

  /** Makes files as they were before the turn, or parts of one; or puts that back. */
  async revert(turnId: string, what: RevertChoice): Promise<void> {
    const command: RevertTurn = {
      name: 'revert_turn',
      turn_id: turnId,
      paths: what.paths === undefined ? null : [...what.paths],
      hunks: what.hunks === undefined ? [] : [what.hunks],
      earlier: [...(what.earlier ?? [])],
      undo: what.undo ?? false,
      partial: false,
      in_document: what.inDocument ?? false,
    };
    parseResult('revert_turn', await this.#command(command, CHANGES_SECONDS));
  }

  /** Ids of the sessions that changed a file, by its path on the server. */
  async sessionsOf(path: string): Promise<readonly string[]> {
    const command: Command = { name: 'list_changing_sessions', path };
    return parseResult('list_changing_sessions', await this.#command(command, CHANGES_SECONDS))
      .session_ids;
  }
}

/** Without files or parts: all that the turn changed. */
interface RevertChoice {
  readonly paths?: readonly string[];
  readonly hunks?: FileHunks;
  readonly undo?: boolean;
  readonly earlier?: readonly string[];
  /** The user has done it in the open document: it is only to be remembered. */
  readonly inDocument?: boolean;
}
