import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import type { ChangedFile, Diff, FileTexts } from '../../wire/types';
import { FileDiff } from '../diff/file_diff';
import { hunkKey } from '../diff/hunks';
import type { DiffHunk } from '../diff/hunks';
import type { SharedRow } from '../diff/shared_rows';
import type { Translate } from '../i18n';
import { messageOf } from '../parts/buttons';
import { Disclosure } from '../parts/disclosure';
import { Counts, Path } from '../parts/files';
import type { IconName } from '../parts/icon_drawings';
import { Icon } from '../parts/icons';
import { ErrorNote } from '../parts/notes';
import { useOpen, useScene } from '../scene';
import { DecisionButtons } from './decision_buttons';
import { hasParts, isInCopy, linesLeft, useDecisions } from './decisions';
import { HunkFrame } from './hunk_frame';
import { ReportedDiffs } from './reported';
import type { Change } from './reported';

interface ChangedFileRowProps {
  readonly turnId: string;
  readonly file: ChangedFile;
  /** Whether the turn's changes can be reverted. */
  readonly revertible: boolean;
  /** The change that tool calls reported, if the file was not compared. */
  readonly reported: Change | undefined;
}

/** A file that a turn changed; its diff is fetched when the row is opened. */
export function ChangedFileRow({ turnId, file, revertible, reported }: ChangedFileRowProps) {
  const { actions, store, t } = useScene();
  const [failure, setFailure] = useState('');
  const decisions = useDecisions({ turnId, file, revertible });
  const decided = decisions();
  const id = `change ${turnId} ${file.path}`;
  const [open] = useOpen(id, false);
  const inCopy = isInCopy(store, turnId);
  const reverted = inCopy ? t('not kept') : t('reverted');
  const isLeft = file.author === 'you' || file.author === 'another';
  const badge = actions === null && file.reverted ? reverted : tagOf(file, t);
  // Elsewhere parts are decided on in the review.
  const hasFrames = decided.put !== undefined && decided.put !== null && hasParts(file);
  const frame = hasFrames
    ? (hunk: DiffHunk, lines: ComponentChildren) => (
        <HunkFrame
          key={hunkKey(hunk.range)}
          hunk={hunk}
          path={file.path}
          fileKey={id}
          decided={decisions(hunk)}
          onFailure={setFailure}
        >
          {lines}
        </HunkFrame>
      )
    : undefined;
  return (
    <Disclosure
      id={id}
      standard={false}
      class="acp-change"
      bodyClass="acp-changebody"
      attributes={{ 'data-change': file.change, 'data-state': decided.decision }}
      line={
        <>
          <Icon name={iconOf(file)} />
          <span class="t cut grow">
            <Path path={file.path} />
          </span>
          {badge !== '' && <span class="badge">{badge}</span>}
          {/* An open diff says it itself. */}
          {!open && (
            <Counts {...(file.added === null && reported ? reported : linesLeft(file, inCopy))} />
          )}
        </>
      }
      under={
        <>
          {actions !== null && !isLeft && (
            <DecisionButtons {...decided} name={file.path} onFailure={setFailure} />
          )}
          {failure !== '' && (
            <div class="acp-changebody">
              <ErrorNote message={failure} detail="" />
            </div>
          )}
        </>
      }
      body={() => (
        <>
          {file.change === 'renamed' && <p class="muted">{t('Renamed from %1', file.old_path)}</p>}
          {file.words !== '' && <p class="muted">{file.words}</p>}
          {reported === undefined ? (
            <ChangedFileDiff turnId={turnId} file={file} id={id} frame={frame} />
          ) : (
            <ReportedDiffs turnId={turnId} change={reported} />
          )}
        </>
      )}
    />
  );
}

/** What happened to a file, if it was not only changed. */
export function tagOf(file: ChangedFile, t: Translate): string {
  return { added: t('new'), deleted: t('deleted'), renamed: t('renamed'), type: '', modified: '' }[
    file.change
  ];
}

export function iconOf({ change }: ChangedFile): IconName {
  return change === 'added' ? 'plus' : change === 'deleted' ? 'delete' : 'edit';
}

type Fetched =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'here'; readonly file: FileTexts | null };

interface ChangedFileDiffProps extends Pick<ChangedFileRowProps, 'turnId' | 'file'> {
  /** Ids of earlier turns whose changes are joined with its own. */
  readonly earlier?: readonly string[];
  /** Id of its folds in the store. */
  readonly id: string;
  /** Further controls in its header, which is then drawn even without a diff. */
  readonly controls?: ComponentChildren;
  /** Draws the frame with decision buttons around a hunk. */
  readonly frame?: ((hunk: DiffHunk, lines: ComponentChildren) => ComponentChildren) | undefined;
  /** Of a notebook beside others; see `CellsBody`. */
  readonly rows?: readonly SharedRow[] | undefined;
  /** Called with the diff once it is fetched. */
  readonly onDiff?: (diff: Diff) => void;
}

/** The diff of a file, or the reason why there is none. */
export function ChangedFileDiff(props: ChangedFileDiffProps) {
  const { turnId, earlier, file, id, controls, frame, rows, onDiff } = props;
  const { actions, t } = useScene();
  const [fetched, setFetched] = useState<Fetched>({ state: 'loading' });
  const getChanges = actions?.getChanges;
  useEffect(() => {
    let mounted = true;
    const take = (next: Fetched) => mounted && setFetched(next);
    if (getChanges === undefined) {
      take({ state: 'here', file: null });
    } else {
      getChanges(turnId, file.path, earlier).then(
        found => take({ state: 'here', file: found }),
        (error: unknown) => take({ state: 'failed', message: messageOf(error) }),
      );
    }
    return () => {
      mounted = false;
    };
  }, [turnId, file.path]);
  // The same object for the same texts, since comparisons are cached by it.
  const diff = useMemo(
    () => (fetched.state === 'here' ? diffOf(file, fetched.file) : null),
    [fetched],
  );
  useEffect(() => {
    if (diff !== null) {
      onDiff?.(diff);
    }
  }, [diff]);
  if (diff !== null) {
    return <FileDiff {...{ diff, id, controls, frame, rows }} tag={tagOf(file, t)} isNew={false} />;
  }
  const why =
    fetched.state === 'loading' ? (
      <p class="acp-loading muted">
        <span class="spin" aria-hidden="true" />
        {t('Loading the diff')}
      </p>
    ) : fetched.state === 'failed' ? (
      <ErrorNote message={fetched.message} detail="" />
    ) : (
      <p class="muted acp-empty">{whyNot(fetched.file ?? file, t)}</p>
    );
  return controls === undefined ? (
    why
  ) : (
    <section class="acp-diff" role="region" aria-label={t('Diff of %1', file.path)}>
      <header>
        <Icon name={iconOf(file)} />
        <span class="cut grow">
          <Path path={file.path} />
        </span>
        {tagOf(file, t) !== '' && <span class="badge">{tagOf(file, t)}</span>}
        {file.binary && <span class="badge">{t('binary')}</span>}
        <Counts added={file.added} removed={file.removed} />
        {controls}
      </header>
      {why}
    </section>
  );
}

function diffOf(file: ChangedFile, texts: FileTexts | null): Diff | null {
  const { old_text, new_text } = texts ?? { old_text: null, new_text: null };
  const { path, added, removed } = file;
  return old_text === null && new_text === null
    ? null
    : {
        path,
        old_text,
        new_text: new_text ?? '',
        is_new_file: file.change === 'added',
        old_line: 1,
        new_line: 1,
        added,
        removed,
      };
}

function whyNot(file: ChangedFile | FileTexts, t: Translate): string {
  if (file.binary) {
    return t('This is not a text file.');
  }
  if ('too_large' in file && file.too_large) {
    return t('This is too large to compare here.');
  }
  return file.words === '' ? t('Its changes are not kept here.') : file.words;
}
