import { isTool } from '../../state/items';
import type { Item, ToolCall } from '../../wire/types';
import { FileDiff } from '../diff/file_diff';
import { plural } from '../i18n';
import { Disclosure } from '../parts/disclosure';
import { Counts, Path } from '../parts/files';
import { Icon } from '../parts/icons';
import { useOpen, useScene } from '../scene';

/** A changed file of a turn, as its tool calls reported it. */
export interface Change {
  readonly path: string;
  readonly isNew: boolean;
  readonly added: number | null;
  readonly removed: number | null;
  /** The tool calls that changed it, in order. */
  readonly tools: readonly ToolCall[];
}

/** The files that the completed tool calls of a turn changed. */
export function changesOf(items: readonly Item[]): Change[] {
  const byPath = new Map<string, Change>();
  for (const tool of items.filter(isTool)) {
    if (tool.status !== 'completed') {
      continue;
    }
    for (const diff of tool.diffs) {
      const known = byPath.get(diff.path);
      byPath.set(diff.path, {
        path: diff.path,
        isNew: (known?.isNew ?? false) || (diff.is_new_file && tool.is_new_file !== false),
        added: sum(known === undefined ? 0 : known.added, diff.added),
        removed: sum(known === undefined ? 0 : known.removed, diff.removed),
        tools: known?.tools.includes(tool) === true ? known.tools : [...(known?.tools ?? []), tool],
      });
    }
  }
  return [...byPath.values()];
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** Lines of all of them; `null` if some were not counted. */
export function total(
  changes: readonly Pick<Change, 'added' | 'removed'>[],
  side: 'added' | 'removed',
): number | null {
  return changes.reduce<number | null>((lines, change) => sum(lines, change[side]), 0);
}

interface ReportedChangesProps {
  readonly turnId: string;
  readonly items: readonly Item[];
  /** Why the changes are not known; empty if they are. */
  readonly unknown: string;
}

/** The files that a turn changed, as its tool calls reported them. */
export function ReportedChanges({ turnId, items, unknown }: ReportedChangesProps) {
  const { t } = useScene();
  const changes = changesOf(items);
  const words = unknown === '' ? null : <p class="acp-changewords muted">{unknown}</p>;
  if (changes.length === 0) {
    return (
      words && (
        <div class="acp-changes" role="group" aria-label={t('Changes')}>
          {words}
        </div>
      )
    );
  }
  return (
    <div class="acp-changes" role="group" aria-label={t('Changes')}>
      <header role="presentation">
        <b>{plural(t, changes.length, '1 file changed', '%1 files changed')}</b>
        {changes.length > 1 && (
          <Counts added={total(changes, 'added')} removed={total(changes, 'removed')} />
        )}
      </header>
      {words}
      <ul role="list">
        {changes.map(change => (
          <ReportedRow key={change.path} turnId={turnId} change={change} />
        ))}
      </ul>
    </div>
  );
}

interface ReportedProps {
  readonly turnId: string;
  readonly change: Change;
}

function ReportedRow({ turnId, change }: ReportedProps) {
  const { t } = useScene();
  const id = `change ${turnId} ${change.path}`;
  const [open] = useOpen(id, false);
  return (
    <li>
      <Disclosure
        id={id}
        standard={false}
        bodyClass="acp-changebody"
        line={
          <>
            <Icon name={change.isNew ? 'plus' : 'edit'} />
            <span class="t cut grow">
              <Path path={change.path} />
            </span>
            {change.isNew && <span class="badge">{t('new')}</span>}
            {!open && <Counts added={change.added} removed={change.removed} />}
          </>
        }
        body={() => <ReportedDiffs change={change} turnId={turnId} />}
      />
    </li>
  );
}

/** The diffs of one file, as the tool calls reported them. */
export function ReportedDiffs({ turnId, change }: ReportedProps) {
  const diffs = change.tools.flatMap(tool => tool.diffs.filter(diff => diff.path === change.path));
  return (
    <>
      {diffs.map((diff, index) => (
        <FileDiff key={index} diff={diff} id={`change ${turnId} ${change.path} ${index}`} />
      ))}
    </>
  );
}
