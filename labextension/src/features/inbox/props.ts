import type { Following, Refused } from '../../delivery/client';
import type { Actions } from '../../views/actions';
import type { Translate } from '../../views/i18n';
import type { Connection, Rendering } from '../../views/props';
import type { SessionSummary } from '../../wire/types';

/** Properties of the inbox. */
export interface InboxProps {
  /** `null` while they are not known yet. */
  readonly sessions: readonly SessionSummary[] | null;
  readonly connection: Connection;
  readonly actions: Actions;
  readonly follow: (sessionId: string) => Following;
  /** Shows a session; empty for the list. */
  readonly open: (sessionId: string) => void;
  /** The session that is shown in place of the list; empty for none. */
  readonly opened: string;
  /** Why the session that is shown can't be, if the server says so. */
  readonly refused: Refused | null;
  /** The address of the inbox's own page, for a view that isn't it. */
  readonly address?: string;
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}
