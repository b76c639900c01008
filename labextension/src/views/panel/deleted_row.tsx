import { useLayoutEffect, useRef } from 'preact/hooks';

import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';

interface DeletedRowProps {
  readonly name: string;
  readonly onUndo: () => void;
}

/** Over the message box of a session that is about to be deleted. */
export function DeletedNote({ onUndo }: Pick<DeletedRowProps, 'onUndo'>) {
  const { t } = useScene();
  return (
    <div class="acp-note" data-tone="warn" role="group" aria-label={t('Deleted')}>
      <Icon name="warning" />
      <div class="row">
        <p class="grow">{t('This session is deleted in a moment.')}</p>
        <button type="button" class="btn small" onClick={onUndo}>
          {t('Undo')}
        </button>
      </div>
    </div>
  );
}

/** In place of a session that was deleted, as long as that can be undone. */
export function DeletedRow({ name, onUndo }: DeletedRowProps) {
  const { announce, t } = useScene();
  const row = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const element = row.current;
    const list = element?.closest('.acp-panel') ?? null;
    // The menu that was used is gone; Enter here harms nothing.
    element?.querySelector('button')?.focus({ preventScroll: true });
    announce(t('%1 deleted. It can be undone for 8 seconds.', name), 'polite');
    return () => {
      if (element?.contains(document.activeElement) === true) {
        list?.querySelector<HTMLElement>('.acp-search input')?.focus({ preventScroll: true });
      }
    };
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
