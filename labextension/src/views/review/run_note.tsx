import { render } from 'preact';

import { identity, plural } from '../i18n';
import type { Translate } from '../i18n';
import { Icon, injectSprite } from '../parts/icons';
import type { Mounted } from '../props';

export interface RunNoteProps {
  /** Number of files that the run changed. */
  readonly files: number;
  readonly onReview: () => void;
  readonly onClose: () => void;
  readonly t?: Translate;
}

/** Says that a run of cells changed files, with a button that reviews them together. */
function RunNote({ files, onReview, onClose, t = identity }: RunNoteProps) {
  return (
    <div class="acp acp-runnote" data-host="panel" role="status">
      <Icon name="edit" />
      <span class="cut">
        {plural(t, files, '1 file changed in this run.', '%1 files changed in this run.')}
      </span>
      <button type="button" class="btn small" onClick={onReview}>
        {t('Review all changes of this run')}
      </button>
      <span class="grow" />
      <button
        type="button"
        class="ico"
        aria-label={t('Close')}
        title={t('Close')}
        onClick={onClose}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Draws the note into an element. */
export function mountRunNote(element: HTMLElement, props: RunNoteProps): Mounted<RunNoteProps> {
  injectSprite();
  const update = (next: RunNoteProps) => render(<RunNote {...next} />, element);
  update(props);
  return { update, dispose: () => render(null, element) };
}
