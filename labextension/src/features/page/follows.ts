import { Listeners } from '../../delivery/listeners';

/** Whether the page goes where the agent of a session works; paused when the user goes on. */
export type Following = 'off' | 'on' | 'paused';

/** What the user has chosen for each session, for as long as the page is open. */
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

  /** What holds for sessions for which nothing was chosen. */
  setStandard(isOn: boolean): void {
    this.#standard = isOn ? 'on' : 'off';
    this.changed.emit(undefined);
  }
}
