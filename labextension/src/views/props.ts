import type { Colours, Run } from '../colours/highlighter';
import type { SessionStore } from '../state/store';
import type { Policy } from '../wire/policy';
import type { Sandbox } from '../wire/sandbox';
import type { AgentEntry, ImportProgress, SessionSummary } from '../wire/types';
import type { Actions } from './actions';
import type { Translate } from './i18n';

/** The state of the page's connection to the server. */
export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  | {
      readonly state: 'lost';
      /** When the next attempt starts, in milliseconds since the epoch; `null` for never. */
      readonly retryAt: number | null;
      /** Why, and how to fix it, if that is known. */
      readonly failure: { readonly message: string } | null;
    };

/** A sentence for the user, with further lines. */
export interface Failure {
  readonly message: string;
  readonly detail: string;
}

/** Properties of the view of one turn, in a cell output or by itself. */
export interface TurnProps {
  readonly store: SessionStore;
  readonly turnId: string;
  readonly host: 'cell' | 'panel';
  /** `null` for a saved output: drawn without any control. */
  readonly actions: Actions | null;
  /** Whether its cell asks open questions in text, below the turn. */
  readonly askedBelow?: boolean;
  readonly connection?: Connection;
  /** Draws code, formulas and diagrams; without it they stay plain text. */
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}

/** The view that a widget draws: a turn, a session, or a part of either. */
export type Part =
  'turn' | 'text' | 'plan' | 'tool_calls' | 'diffs' | 'permission' | 'composer' | 'session';

/** Properties of the view of a part. */
export interface PartProps extends Omit<TurnProps, 'host'> {
  readonly part: Part;
  /** Empty for the session's running turn, else its newest. */
  readonly turnId: string;
  readonly sendKey?: SendKey;
}

/** A page of the panel that a command shows: all agents, or one of a feature. */
export interface AskedPage {
  readonly page: string;
}

/** Properties of the side panel: a whole session with its composer. */
export interface PanelProps {
  /** The open session; `null` for none. */
  readonly store: SessionStore | null;
  /** Counts how often a session was opened from elsewhere: the panel shows it then. */
  readonly opened?: number;
  /** A page that something else asks to show. */
  readonly asked?: AskedPage | null;
  /** `null` while they are not known yet. */
  readonly sessions: readonly SessionSummary[] | null;
  /** The imports of logs that are running. */
  readonly imports?: readonly ImportProgress[];
  /** `null` while they are not known yet. */
  readonly agents: readonly AgentEntry[] | null;
  readonly connection: Connection;
  /** The last failure, if it still matters. */
  readonly failure: Failure | null;
  readonly actions: Actions;
  /** Holds the draft while no session is open. */
  readonly blank?: SessionStore;
  readonly sendKey?: SendKey;
  /** What a new session starts with. */
  readonly startsWith?: StartsWith;
  /** Draws code, formulas and diagrams; without it they stay plain text. */
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}

/** The user's settings for new sessions. */
export interface StartsWith {
  /** Id of an agent; empty for the first that is ready. */
  readonly agent: string;
  readonly policy: Policy;
  /** `null` leaves it to the server. */
  readonly sandbox: Sandbox | null;
}

/** The key that sends a message; the other of Enter and Shift+Enter starts a new line. */
export type SendKey = 'enter' | 'shift-enter';

/** A view that is mounted in the page. */
export interface Mounted<Props> {
  /** Draws it with other properties. */
  update(props: Props): void;
  /** Removes the view; the element stays. */
  dispose(): void;
}

export type { Colours, Run };

/** A drawn diagram: an image that can't load or run anything. */
export interface Diagram {
  readonly address: string;
  /** Its title and description, if its source has them. */
  readonly label: string;
  /** Width in pixels; `null` if it has none of its own. */
  readonly width: number | null;
}

/**
 * Parts that a host can draw better than plain text.
 *
 * Each resolves to `null` if it can't draw something, which then stays plain text. None of them may
 * change the text.
 */
export interface Rendering {
  /** Splits code into coloured runs. `language` is a name or a file name. */
  readonly highlight?: (text: string, language: string) => Promise<readonly Run[] | null>;
  /** The coloured runs of each line of a file, or of a part of one. */
  readonly lines?: (text: string, path: string) => Promise<Colours | null>;
  /** Typesets a formula, given with its delimiters, as harmless elements. */
  readonly mathematics?: (source: string) => Promise<Element | null>;
  readonly diagram?: (source: string) => Promise<Diagram | null>;
  /** Calls back when diagrams must be drawn again, e.g. after a change of theme. */
  readonly onChange?: (listener: () => void) => () => void;
}
