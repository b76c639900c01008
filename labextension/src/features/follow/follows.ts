import { Listeners } from '../../delivery/listeners';

/** Whether the page follows the agent of a session; paused when the user does something else. */
export type Following = 'off' | 'on' | 'paused';

/** The user's choice for each session, for as long as the page is open. */
export class Follows {
  readonly changed = new Listeners<undefined>();
  readonly #chosen = new Map<string, Following>();
  #standard: Following = 'off';
  #shown = '';

  /** Id of the session in the panel, the one that is followed; empty for none. */
  get shown(): string {
    return this.#shown;
  }

  show(sessionId: string): void {
    this.#shown = sessionId;
    this.changed.emit(undefined);
  }

  of(sessionId: string): Following {
    return sessionId === '' ? 'off' : (this.#chosen.get(sessionId) ?? this.#standard);
  }

  set(sessionId: string, following: Following): void {
    this.#chosen.set(sessionId, following);
    this.changed.emit(undefined);
  }

  /** The default for sessions without a choice. */
  setStandard(isOn: boolean): void {
    this.#standard = isOn ? 'on' : 'off';
    this.changed.emit(undefined);
  }
}
