import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { SessionLife } from '../../actions';
import { messageOf } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { useScene } from '../../scene';
import { useRowFocus } from './row_focus';

/** Time in which a deletion can be undone before it is sent. */
const UNDO_MILLISECONDS = 8_000;

/** Sessions that the user has deleted, which can be undone for a while. */
export class Trash {
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Ids of sessions whose deletion was requested; they may still be in the list. */
  readonly #sent = new Set<string>();

  constructor(
    private readonly remove: (sessionId: string) => Promise<void>,
    private readonly onChange: () => void,
    private readonly onFailure: (message: string) => void,
  ) {}

  /** Whether a session is deleted and can be restored. */
  holds(sessionId: string): boolean {
    return this.#timers.has(sessionId);
  }

  /** Whether its deletion was sent. */
  hasSent(sessionId: string): boolean {
    return this.#sent.has(sessionId);
  }

  put(sessionId: string): void {
    if (!this.#timers.has(sessionId)) {
      this.#timers.set(
        sessionId,
        setTimeout(() => this.#send(sessionId), UNDO_MILLISECONDS),
      );
      this.onChange();
    }
  }

  takeBack(sessionId: string): void {
    const timer = this.#timers.get(sessionId);
    if (timer !== undefined) {
      clearTimeout(timer);
      this.#timers.delete(sessionId);
      this.onChange();
    }
  }

  /** Sends all pending deletions. */
  empty(): void {
    for (const sessionId of [...this.#timers.keys()]) {
      this.#send(sessionId);
    }
  }

  #send(sessionId: string): void {
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
    this.#sent.add(sessionId);
    this.onChange();
    this.remove(sessionId).catch((error: unknown) => {
      this.#sent.delete(sessionId);
      this.onFailure(messageOf(error));
      this.onChange();
    });
  }
}

/** The trash of a view, emptied when the view or the page is closed. */
export function useTrash(
  life: SessionLife | undefined,
  onFailure: (message: string) => void,
): Trash {
  const [, setTick] = useState(0);
  const how = useRef({ life, onFailure });
  how.current = { life, onFailure };
  const trash = useMemo(
    () =>
      new Trash(
        async id => how.current.life?.run({ name: 'delete_session', session_id: id }),
        () => setTick(tick => tick + 1),
        message => how.current.onFailure(message),
      ),
    [],
  );
  useLayoutEffect(() => {
    const empty = () => trash.empty();
    window.addEventListener('pagehide', empty);
    return () => {
      window.removeEventListener('pagehide', empty);
      empty();
    };
  }, [trash]);
  return trash;
}

interface DeletedRowProps {
  readonly name: string;
  readonly onUndo: () => void;
}

/** Shown above the message box of a session that is about to be deleted. */
export function DeletedNote({ onUndo }: Pick<DeletedRowProps, 'onUndo'>) {
  const { t } = useScene();
  return (
    <div class="acp-note" data-tone="warn" role="group" aria-label={t('Deleted')}>
      <Icon name="warning" />
      <div class="row">
        <p class="grow">{t('This session will be deleted in a moment.')}</p>
        <button type="button" class="btn small" onClick={onUndo}>
          {t('Undo')}
        </button>
      </div>
    </div>
  );
}

/** Shown in the list instead of a deleted session while that can be undone. */
export function DeletedRow({ name, onUndo }: DeletedRowProps) {
  const { announce, t } = useScene();
  const row = useRef<HTMLLIElement>(null);
  useRowFocus(row);
  useLayoutEffect(() => {
    // The menu is removed; Enter on Undo does no harm.
    row.current?.querySelector('button')?.focus({ preventScroll: true });
    announce(t('%1 deleted. You can undo this for 8 seconds.', name), 'polite');
  }, []);
  return (
    <li class="acp-deleted" ref={row}>
      <span class="cut grow muted" dir="auto">
        {t('Deleted: %1', name)}
      </span>
      <button
        type="button"
        class="btn small"
        aria-label={t('Undo deleting %1', name)}
        onClick={onUndo}
      >
        {t('Undo')}
      </button>
    </li>
  );
}
