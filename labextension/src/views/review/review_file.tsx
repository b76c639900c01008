import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { Diff } from '../../wire/types';
import { ChangedFileDiff, iconOf } from '../changes/changed_file';
import { DecisionButtons } from '../changes/decision_buttons';
import { HunkFrame, stateWords } from '../changes/hunk_frame';
import { hasParts } from '../changes/decisions';
import type { Decision } from '../changes/decisions';
import { hunkKey } from '../diff/hunks';
import type { DiffHunk } from '../diff/hunks';
import { Counts, Path } from '../parts/files';
import { Icon } from '../parts/icons';
import { ErrorNote } from '../parts/notes';
import { useOpen, useScene } from '../scene';
import { earlierOf } from './entries';
import type { Entry } from './entries';
import { useOrdered } from './revert_steps';
import { nameOf, TurnLink } from './turn_link';

interface ReviewFileProps {
  readonly entry: Entry;
  /** All that are shown, in their order. */
  readonly entries: readonly Entry[];
  /** The decision on the whole file. */
  readonly decision: Decision;
  /** Whether its diff is shown at first. */
  readonly standard: boolean;
  readonly onDiff: (key: string, diff: Diff) => void;
}

/** A changed file with its changes; each can be kept or reverted. */
export function ReviewFile({ entry, entries, decision, standard, onDiff }: ReviewFileProps) {
  const { actions, t } = useScene();
  const { key, turns, turn, file } = entry;
  const [failure, setFailure] = useState('');
  const [open, setOpen] = useOpen(`review ${key}`, standard);
  const { later, decided } = useOrdered(entry, entries);
  const controls = (
    <>
      {turns.map(each => (
        <TurnLink key={each.turn_id} turn={each} />
      ))}
      <span data-whole="">
        <DecisionButtons
          {...decided()}
          canLeave
          name={file.path}
          keepWords={t('Keep file')}
          revertWords={t('Revert file')}
          onFailure={setFailure}
        />
      </span>
    </>
  );
  const frame = (hunk: DiffHunk, lines: ComponentChildren) => (
    <HunkFrame
      key={hunkKey(hunk.range)}
      hunk={hunk}
      path={file.path}
      fileKey={key}
      decided={decided(hunk)}
      canLeave
      onFailure={setFailure}
    >
      {lines}
    </HunkFrame>
  );
  const [newest] = later;
  return (
    <article
      class="acp-reviewfile"
      tabIndex={-1}
      aria-label={`${file.path}${stateWords(decision, t)}`}
      data-file=""
      data-key={key}
      data-state={decision}
    >
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {file.change === 'renamed' && <p class="muted">{t('Renamed from %1', file.old_path)}</p>}
      {file.words !== '' && <p class="muted">{file.words}</p>}
      {newest !== undefined && decision !== 'reverted' && (
        <p class="muted">
          {t(
            'Changed again later: %1. Reverting this takes the later change back first.',
            nameOf(newest.turn, actions, t),
          )}
        </p>
      )}
      {open ? (
        <ChangedFileDiff
          turnId={turn.turn_id}
          earlier={earlierOf(entry)}
          file={file}
          id={`review ${key}`}
          controls={controls}
          frame={hasParts(file) ? frame : undefined}
          onDiff={diff => onDiff(key, diff)}
        />
      ) : (
        <section class="acp-diff">
          <header>
            <Icon name={iconOf(file)} />
            <span class="cut grow">
              <Path path={file.path} />
            </span>
            <Counts added={file.added} removed={file.removed} />
            {controls}
            <button
              type="button"
              class="btn quiet small"
              data-do="show"
              onClick={() => setOpen(true)}
            >
              {t('Show the diff')}
            </button>
          </header>
        </section>
      )}
    </article>
  );
}
