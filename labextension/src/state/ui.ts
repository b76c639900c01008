import { Attachments } from './attachments';

/** Id of the message draft's text. */
export const DRAFT = 'draft';

/** Id of a value that changes with each message sent from this page. */
export const SENT = 'sent';

/** Id of the turn, or of an end of the session, to scroll to; empty once it is reached. */
export const GO_TO = 'go to';

export const FIRST = 'first';

export const LAST = 'last';

/** Id of the text with the result of the user's last action on the session. */
export const NOTICE = 'notice';

/** Id of the ids of pinned cells that don't go along with the next message, one in a line. */
export const UNPINNED = 'unpinned';

/** Id of the sandbox offer over the message box; empty if it is closed. */
export const SANDBOX_OFFER = 'sandbox offer';

/** Whether thoughts open, by the user's settings; `null` if the last choice counts. */
let thoughtsAre: boolean | null = null;

/** Sets whether thoughts open by themselves; `null` leaves it to the last choice. */
export function preferThoughts(open: boolean | null): void {
  thoughtsAre = open;
}

/** Key of a remembered preference; the value is `1` or `0`. */
const THOUGHTS_KEY = 'acp-jupyter:thoughts-open';

/** The same for whether a sandbox has been offered. */
const SANDBOX_KEY = 'acp-jupyter:sandbox-offered';

/**
 * What the user has opened, chosen or typed, by id.
 *
 * It outlives the elements: a windowed notebook removes outputs from the page, and a renderer may
 * be created again.
 */
export class UiState {
  private readonly open = new Map<string, boolean>();
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly values = new Map<string, string>();
  /** Attachments of the message draft. */
  readonly attachments = new Attachments();

  constructor(private readonly storage: Preferences = pagePreferences()) {}

  /** Whether it is open; `standard` until the user has opened or closed it. */
  isOpen(id: string, standard: boolean): boolean {
    return this.open.get(id) ?? standard;
  }

  /** Whether the user has opened or closed it; then it doesn't change automatically. */
  isTouched(id: string): boolean {
    return this.open.has(id);
  }

  setOpen(id: string, open: boolean): void {
    this.open.set(id, open);
    this.notify(id);
  }

  /** A text or choice of the user, e.g. the message draft. */
  value(id: string): string {
    return this.values.get(id) ?? '';
  }

  setValue(id: string, value: string): void {
    this.values.set(id, value);
    this.notify(id);
  }

  /** Whether thoughts open automatically: by the settings, else by the last choice in a stream. */
  get thoughtsOpen(): boolean {
    return thoughtsAre ?? this.storage.get(THOUGHTS_KEY) === '1';
  }

  set thoughtsOpen(open: boolean) {
    this.storage.set(THOUGHTS_KEY, open ? '1' : '0');
  }

  /** Whether a sandbox was offered once, in any session: then it is not offered again. */
  get sandboxOffered(): boolean {
    return this.storage.get(SANDBOX_KEY) === '1';
  }

  set sandboxOffered(offered: boolean) {
    this.storage.set(SANDBOX_KEY, offered ? '1' : '0');
  }

  subscribe(id: string, listener: () => void): () => void {
    const set = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.listeners.get(id) === set) {
        this.listeners.delete(id);
      }
    };
  }

  /** Forgets which parts were opened and closed. */
  protected forget(): void {
    this.open.clear();
    this.notifyAll();
  }

  protected notifyAll(): void {
    [...this.listeners.keys()].forEach(id => this.notify(id));
  }

  private notify(id: string): void {
    for (const listener of [...(this.listeners.get(id) ?? [])]) {
      listener();
    }
  }
}

/** Storage of preferences. */
export interface Preferences {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

/** The page's storage; it may be forbidden or full, then nothing is remembered. */
function pagePreferences(): Preferences {
  return {
    get(key) {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        localStorage.setItem(key, value);
      } catch {
        // If that fails, it is not remembered.
      }
    },
  };
}
