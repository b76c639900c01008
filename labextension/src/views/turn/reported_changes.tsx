import type { Item } from '../../wire/types';
import { FileDiff } from '../items/diff';
import { Disclosure } from '../parts/disclosure';
import { plural } from '../parts/format';
import { Icon } from '../parts/icons';
import { Counts, Path } from '../parts/path';
import { useScene } from '../parts/scene';
import { changesOf, total, type Change } from './summary';

interface ReportedChangesProps {
  readonly turnId: string;
  readonly items: readonly Item[];
}

/** The files that a turn changed, by what the agent reported. */
export function ReportedChanges({ turnId, items }: ReportedChangesProps) {
  const { t } = useScene();
  const changes = changesOf(items);
  if (changes.length === 0) {
    return null;
  }
  return (
    <div class="acp-changes" role="group" aria-label={t('Changes')}>
      <header role="presentation">
        <b>{plural(t, changes.length, '1 file changed', '%1 files changed')}</b>
        <Counts added={total(changes, 'added')} removed={total(changes, 'removed')} />
      </header>
      <ul role="list">
        {changes.map(change => (
          <li key={change.path}>
            <Disclosure
              id={`change ${turnId} ${change.path}`}
              standard={false}
              bodyClass="acp-changebody"
              line={
                <>
                  <Icon name={change.isNew ? 'plus' : 'edit'} />
                  <span class="t cut grow">
                    <Path path={change.path} />
                  </span>
                  {change.isNew && <span class="badge">{t('new')}</span>}
                  <Counts added={change.added} removed={change.removed} />
                </>
              }
              body={() => <ReportedDiffs change={change} turnId={turnId} />}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ReportedDiffsProps {
  readonly turnId: string;
  readonly change: Change;
}

/** What the agent reported of one file, part by part. */
export function ReportedDiffs({ turnId, change }: ReportedDiffsProps) {
  const diffs = change.tools.flatMap(tool => tool.diffs.filter(diff => diff.path === change.path));
  return (
    <>
      {diffs.map((diff, index) => (
        <FileDiff key={index} diff={diff} id={`change ${turnId} ${change.path} ${index}`} />
      ))}
    </>
  );
}
