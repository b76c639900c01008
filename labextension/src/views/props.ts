import type { SessionStore } from '../state/store';
import type { AgentEntry, SessionSummary } from '../wire/types';
import type { Actions } from './actions';
import type { Translate } from './i18n';

/** How the page stands to the server. */
export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** `retryAt`: milliseconds since the epoch of the next try, if there will be one. */
  | { readonly state: 'lost'; readonly retryAt: number | null };

/** A sentence for the user, with further lines. */
export interface Failure {
  readonly message: string;
  readonly detail: string;
}

/** One turn, in a cell output or by itself. */
export interface TurnProps {
  readonly store: SessionStore;
  readonly turnId: string;
  readonly host: 'cell' | 'panel';
  /** `null` for a saved record: drawn without any control. */
  readonly actions: Actions | null;
  readonly connection?: Connection;
  /** Code, formulas and diagrams; without it they stay plain. */
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}

/** A whole session with its composer. */
export interface PanelProps {
  /** The open session; `null` for none. */
  readonly store: SessionStore | null;
  /** How often a session was asked for from elsewhere: then it is to be seen. */
  readonly opened?: number;
  /** `null` while they are not known yet. */
  readonly sessions: readonly SessionSummary[] | null;
  /** `null` while they are not known yet. */
  readonly agents: readonly AgentEntry[] | null;
  readonly connection: Connection;
  /** What failed last, if it still matters. */
  readonly failure: Failure | null;
  readonly actions: Actions;
  /** Holds what is written as long as no session is open. */
  readonly blank?: SessionStore;
  readonly sendKey?: SendKey;
  /** Code, formulas and diagrams; without it they stay plain. */
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}

/** What sends a message; the other one of Enter and Shift+Enter begins a line. */
export type SendKey = 'enter' | 'shift-enter';

/** A view in the page. */
export interface Mounted<Props> {
  /** Draws with these in place of the former. */
  update(props: Props): void;
  /** Takes the view out of the page; the element stays. */
  dispose(): void;
}
/** A piece of code of one look; `class` names it (`k`, `str`, `c`, `n`, `f`) or is empty. */
export interface Run {
  readonly text: string;
  readonly class: string;
}

/** The runs of a line of a text, counted from 1; `null` for a line that stays plain. */
export type Colours = (line: number) => readonly Run[] | null;

/** A drawn diagram: an image that can load and run nothing. */
export interface Diagram {
  readonly address: string;
  /** What it shows, in words, as far as its source says. */
  readonly label: string;
  /** In pixels; `null` if it has none of its own. */
  readonly width: number | null;
}

/**
 * What a host can draw better than plain text.
 *
 * Each resolves to `null` where it can't, then the text stays as it is.
 * None of them may change what the text says.
 */
export interface Rendering {
  /** The text in runs that add up to it. `language` is its name or the name of a file. */
  readonly highlight?: (text: string, language: string) => Promise<readonly Run[] | null>;
  /** The same for each line of a file, or of a part of one, by the file's name. */
  readonly lines?: (text: string, path: string) => Promise<Colours | null>;
  /** A formula with its delimiters, as elements that can't act. */
  readonly mathematics?: (source: string) => Promise<Element | null>;
  readonly diagram?: (source: string) => Promise<Diagram | null>;
  /** Told when drawings look different from now on, e.g. in another theme. */
  readonly onChange?: (listener: () => void) => () => void;
}
