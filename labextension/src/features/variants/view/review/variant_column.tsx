import { useState } from 'preact/hooks';

import type { ChangedFile, Diff, TurnChanges } from '../../../../wire/types';
import { ChangedFileDiff } from '../../../../views/changes/changed_file';
import { KeepAll } from '../../../../views/changes/changes';
import { DecisionButtons } from '../../../../views/changes/decision_buttons';
import { useDecisions } from '../../../../views/changes/decisions';
import { ReportedDiffs } from '../../../../views/changes/reported';
import type { SharedRow } from '../../../../views/diff/shared_rows';
import { ErrorNote } from '../../../../views/parts/notes';
import { useScene } from '../../../../views/scene';
import { nameOf, useTurn, VariantFacts } from '../facts';
import { isOver } from './files';
import type { FileOfVariant, Variant } from './files';

interface VariantColumnProps {
  readonly variant: Variant;
  /** Its change of the selected file; absent if there is none, or no file is selected. */
  readonly change: FileOfVariant | undefined;
  /** The rows of its notebook, if all columns show one by cells. */
  readonly rows: readonly SharedRow[] | undefined;
  /** Number of grid rows that it takes. */
  readonly span: number;
  readonly onDiff: (diff: Diff) => void;
}

/** Why a file could not be kept, and the turn's changes at that time. */
interface Failed {
  readonly words: string;
  readonly of: TurnChanges | null;
}

/** One variant: its facts, and below them its change of the selected file. */
export function VariantColumn({ variant, change, rows, span, onDiff }: VariantColumnProps) {
  const { store, t } = useScene();
  const { number, failure } = variant;
  const turn = useTurn(store, variant.turn?.turn_id ?? '');
  const changes = turn?.changes ?? null;
  const [failed, setFailed] = useState<Failed | null>(null);
  // A refusal is shown until the next decision.
  const refused = failed !== null && failed.of === changes ? failed.words : '';
  const setRefused = (words: string) => setFailed({ words, of: changes });
  const { file = null, reported = null } = change ?? {};
  return (
    <section
      class="acp-varcolumn"
      aria-label={t('Variant %1', nameOf(store, number, t))}
      style={{ gridRow: `span ${span}` }}
    >
      <header>
        <VariantFacts {...{ store, turn, number, t }} />
        {failure !== null && <ErrorNote {...failure} />}
        {refused !== '' && <ErrorNote message={refused} detail="" />}
        {changes !== null && changes.words !== '' && <p class="muted">{changes.words}</p>}
        {file?.change === 'renamed' && <p class="muted">{t('Renamed from %1', file.old_path)}</p>}
        {file !== null && file.words !== '' && <p class="muted">{file.words}</p>}
        {turn !== undefined && changes !== null && (
          <KeepAll turnId={turn.turn_id} changes={changes} onFailure={setRefused} />
        )}
      </header>
      {turn !== undefined && file !== null ? (
        <FileColumn
          // The diff of another file is fetched again.
          key={file.path}
          {...{ file, rows, onDiff }}
          turnId={turn.turn_id}
          revertible={changes?.revertible ?? false}
          onFailure={setRefused}
        />
      ) : (
        <div class="acp-varbody">
          {failure === null && <p class="muted acp-empty">{whyNothing()}</p>}
          {turn !== undefined && reported !== null && (
            <ReportedDiffs turnId={turn.turn_id} change={reported} />
          )}
        </div>
      )}
    </section>
  );

  function whyNothing(): string {
    if (turn === undefined) {
      return t('Loading the changes');
    }
    if (!isOver(turn)) {
      return t('It is still running. You can keep its changes when it has ended.');
    }
    return changes === null ? t('It changed no file.') : t('It did not change this file.');
  }
}

interface FileColumnProps extends Pick<VariantColumnProps, 'rows' | 'onDiff'> {
  readonly turnId: string;
  readonly file: ChangedFile;
  readonly revertible: boolean;
  readonly onFailure: (message: string) => void;
}

function FileColumn({ turnId, file, revertible, rows, onDiff, onFailure }: FileColumnProps) {
  const { t } = useScene();
  const decided = useDecisions({ turnId, file, revertible })();
  const key = `${turnId} ${file.path}`;
  return (
    <article
      class="acp-varbody acp-reviewfile"
      tabIndex={-1}
      aria-label={decided.decision === 'kept' ? `${file.path}, ${t('Kept')}` : file.path}
      data-file=""
      data-key={key}
      data-state={decided.decision}
      data-cells={rows === undefined ? undefined : ''}
    >
      <ChangedFileDiff
        {...{ turnId, file, rows, onDiff }}
        id={`variants ${key}`}
        controls={
          <span data-whole="">
            <DecisionButtons {...decided} name={file.path} onFailure={onFailure} />
          </span>
        }
      />
    </article>
  );
}
