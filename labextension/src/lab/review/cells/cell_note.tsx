import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';

import type { Mounted, Translate } from '../../../views';
import { DiffColours } from '../../../views/diff/colours';
import { compareTexts } from '../../../views/diff/compare_lines';
import { LinesBody } from '../../../views/diff/lines_body';
import { useAnnouncer } from '../../../views/parts/announcer';
import { messageOf } from '../../../views/parts/buttons';
import { Counts } from '../../../views/parts/files';
import { Icon } from '../../../views/parts/icons';
import { OWN_KEYS } from '../../../views/parts/keyboard';
import { mounted } from '../../../views/parts/mount';
import { ErrorNote } from '../../../views/parts/notes';
import { Visible } from '../../../views/parts/odd_characters';
import { SceneContext, useScene, useUniqueId } from '../../../views/scene';
import type { Scene } from '../../../views/scene';
import { standingOf } from './changed_cells';
import type { ChangedCell } from './changed_cells';

/** A changed cell and its actions, which throw errors with a message for the user. */
export interface CellNoteRow {
  readonly changed: ChangedCell;
  readonly scene: Scene;
  /** Language of its source. */
  readonly language: string;
  /** Number of its cell, from 1; `null` if it was deleted. */
  readonly number: number | null;
  readonly source: string | null;
  /** @param name - Name of the cell, for the user. */
  readonly keep: (name: string) => void;
  readonly revert: (name: string) => void;
}

export interface CellNoteProps {
  readonly rows: readonly CellNoteRow[];
}

/** The note under a cell: what an agent changed in it, or deleted beside it. */
function CellNote({ rows }: CellNoteProps) {
  return (
    <div class="acp acp-cellnote" data-host="panel">
      {rows.map(row => (
        <SceneContext.Provider key={row.changed.cellId} value={row.scene}>
          <CellNoteChange {...row} />
        </SceneContext.Provider>
      ))}
    </div>
  );
}

function CellNoteChange({ changed, language, number, source, keep, revert }: CellNoteRow) {
  const { t } = useScene();
  const [open, setOpen] = useState(false);
  /** Why an action was refused, and the cell's source at that time. */
  const [refusal, setRefusal] = useState({ source, words: '' });
  const failure = refusal.source === source ? refusal.words : '';
  const id = useUniqueId();
  const [was, is] = [changed.before?.source ?? '', changed.after?.source ?? ''];
  const comparison = useMemo(() => compareTexts(was, is), [was, is]);
  const words = wordsOf(changed, t);
  const name = number === null ? t('the deleted cell') : t('Cell %1', number);
  const isStale = standingOf(changed, source) === 'changed_since';
  const isGone = changed.after === null;
  const run = (act: (name: string) => void) => () => {
    try {
      act(name);
      setRefusal({ source, words: '' });
    } catch (error) {
      setRefusal({ source, words: messageOf(error) });
    }
  };
  return (
    <div class="acp-cellchange" role="group" aria-label={words}>
      <div class="line">
        <Icon name={changed.before === null ? 'plus' : isGone ? 'delete' : 'edit'} small />
        <span class="cut" title={words} dir="auto">
          {words}
          {isGone && (
            <>
              {': '}
              <FirstLine source={was} />
            </>
          )}
        </span>
        <Counts added={comparison?.added ?? null} removed={comparison?.removed ?? null} />
        {isStale && <span class="badge">{t('changed since')}</span>}
        <button
          type="button"
          class="btn quiet small"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
          {...OWN_KEYS}
        >
          {open ? t('Hide diff') : t('Show diff')}
        </button>
        <button type="button" class="btn quiet small" onClick={run(keep)} {...OWN_KEYS}>
          <Icon name={isGone ? 'close' : 'keep'} />
          {isGone ? t('Dismiss') : t('Keep')}
        </button>
        <button type="button" class="btn quiet small" onClick={run(revert)} {...OWN_KEYS}>
          <Icon name="revert" />
          {isGone ? t('Undo') : t('Revert')}
        </button>
      </div>
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {open && (
        <section id={id} class="acp-diff" role="region" aria-label={t('Diff of %1', name)}>
          {comparison === null ? (
            <p class="muted acp-empty">{t('This is too large to compare here.')}</p>
          ) : (
            <DiffColours before={was} after={is} path={language}>
              <LinesBody comparison={comparison} id={`cell ${changed.cellId}`} />
            </DiffColours>
          )}
        </section>
      )}
    </div>
  );
}

/** Most characters shown of a deleted cell's first line. */
const MAX_CHARS = 80;

/** The first line of a deleted cell. */
function FirstLine({ source }: { readonly source: string }) {
  const { t } = useScene();
  const line = source.split('\n').find(one => one.trim() !== '');
  return line === undefined ? (
    <i>{t('(empty)')}</i>
  ) : (
    <code dir="ltr">
      <Visible text={line.trim().slice(0, MAX_CHARS)} strictness="controls" />
    </code>
  );
}

/** If the user may have made a change, it is called a change during the turn, not the agent's. */
function wordsOf({ before, after, agent, sure }: ChangedCell, t: Translate): string {
  if (before === null) {
    return sure ? t('Added by %1', agent) : t('Added during a turn of %1', agent);
  }
  if (after === null) {
    return sure ? t('Cell deleted by %1', agent) : t('Cell deleted during a turn of %1', agent);
  }
  return sure ? t('Changed by %1', agent) : t('Changed during a turn of %1', agent);
}

export function mountCellNote(element: HTMLElement, props: CellNoteProps): Mounted<CellNoteProps> {
  return mounted(element, props, given => <CellNote {...given} />);
}

type Say = (words: string) => void;

/** Announces to screen readers what was done at a cell, as its note disappears. */
export class CellAnnouncer {
  readonly #node = document.createElement('div');
  readonly #dispose: () => void;
  #say: Say = () => undefined;

  constructor(parent: HTMLElement) {
    this.#node.className = 'acp';
    parent.append(this.#node);
    const onReady = (say: Say) => {
      this.#say = say;
    };
    const regions = mounted(this.#node, { onReady }, given => <Regions {...given} />);
    this.#dispose = () => regions.dispose();
  }

  readonly say: Say = words => this.#say(words);

  dispose(): void {
    this.#dispose();
    this.#node.remove();
  }
}

function Regions({ onReady }: { readonly onReady: (say: Say) => void }): VNode {
  const { announce, regions } = useAnnouncer();
  useLayoutEffect(() => onReady(words => announce(words, 'polite')), [announce]);
  return regions;
}
