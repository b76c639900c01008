import type { Cell } from '@jupyterlab/cells';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { Mounted, Translate } from '../../../views';
import { plural } from '../../../views/i18n';
import { Icon } from '../../../views/parts/icons';
import { OWN_KEYS } from '../../../views/parts/keyboard';
import { mounted } from '../../../views/parts/mount';

/** The mark of a stale cell. */
export interface StaleNoteProps {
  /** Why it is stale, in words. */
  readonly reasons: readonly string[];
  /** Number of stale cells; 0 if another mark has the buttons. */
  readonly all: number;
  readonly run: () => void;
  readonly check: () => void;
  readonly t: Translate;
}

function StaleNote({ reasons, all, run, check, t }: StaleNoteProps) {
  const why = reasons.join('. ');
  return (
    <div class="acp acp-cellnote" data-host="panel">
      <div class="acp-stale" role="note" aria-label={t('Stale: %1', why)}>
        <Icon name="history" small />
        <span class="why" title={t('This output is stale: %1', reasons.join('\n'))} dir="auto">
          <b>{t('Stale:')}</b> {reasons[0]}
        </span>
        {all > 0 && (
          <>
            <button type="button" class="btn quiet small" onClick={run} {...OWN_KEYS}>
              <Icon name="execute" />
              {plural(t, all, 'Run the stale cell', 'Run %1 stale cells')}
            </button>
            <button type="button" class="btn quiet small" onClick={check} {...OWN_KEYS}>
              {t('Check')}
            </button>
          </>
        )}
      </div>
    </div>
  );
}

/** The widget of the mark, at the end of its cell. */
export class StaleBar extends Widget {
  readonly #mounted: Mounted<StaleNoteProps>;

  constructor(props: StaleNoteProps) {
    super();
    this.addClass('acp-StaleBar');
    this.#mounted = mounted(this.node, props, given => <StaleNote {...given} />);
  }

  /** Adds a mark to a cell; `null` if that is not possible. */
  static under(cell: Cell, props: StaleNoteProps): StaleBar | null {
    if (!(cell.layout instanceof PanelLayout)) {
      return null;
    }
    const bar = new StaleBar(props);
    cell.layout.addWidget(bar);
    return bar;
  }

  refresh(props: StaleNoteProps): void {
    this.#mounted.update(props);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#mounted.dispose();
      super.dispose();
    }
  }
}
