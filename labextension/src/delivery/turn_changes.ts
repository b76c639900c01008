import { parseResult } from '../wire/results';
import type { Command, FileHunks, FileTexts } from '../wire/types';

/** Git may have to look at many files. */
const SECONDS = 60;

/** What turns changed in their folders: read, and taken back. */
export class TurnChangesCalls {
  readonly #command: (command: Command, seconds: number) => Promise<unknown>;

  constructor(command: (command: Command, seconds: number) => Promise<unknown>) {
    this.#command = command;
  }

  /** A file as it was before the turn, and after it; `null` where that is not kept. */
  async file(turnId: string, path: string): Promise<FileTexts | null> {
    const command = { name: 'get_changes', turn_id: turnId, path, form: 'texts' } as const;
    const reply = parseResult('get_changes', await this.#command(command, SECONDS));
    return reply.known ? (reply.files[0] ?? null) : null;
  }

  /** Makes files as they were before the turn, or parts of one; or puts that back. */
  async revert(turnId: string, what: RevertChoice): Promise<void> {
    const command = {
      name: 'revert_turn',
      turn_id: turnId,
      paths: what.paths === undefined ? null : [...what.paths],
      hunks: what.hunks === undefined ? [] : [what.hunks],
      undo: what.undo ?? false,
      partial: false,
    } as const;
    parseResult('revert_turn', await this.#command(command, SECONDS));
  }
}

/** Without files or parts: all that the turn changed. */
interface RevertChoice {
  readonly paths?: readonly string[];
  readonly hunks?: FileHunks;
  readonly undo?: boolean;
}
