import { parseResult } from '../wire/results';
import type { Command, FileTexts } from '../wire/types';

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

  /** `null` for all that the turn changed. */
  async revert(turnId: string, paths: readonly string[] | null): Promise<void> {
    const chosen = paths === null ? null : [...paths];
    const command = {
      name: 'revert_turn',
      turn_id: turnId,
      paths: chosen,
      partial: false,
    } as const;
    parseResult('revert_turn', await this.#command(command, SECONDS));
  }
}
