import type { Item } from '../../wire/types';
import { DiffBox } from '../items/diff';
import { Disclosure } from '../parts/disclosure';
import { plural } from '../parts/format';
import { Icon } from '../parts/icons';
import { Counts, Path } from '../parts/path';
import { useScene } from '../parts/scene';
import { changesOf, type Change } from './summary';

interface ChangesProps {
  readonly turnId: string;
  readonly items: readonly Item[];
}

/** The files that a finished turn changed, each with its diff on demand. */
export function Changes({ turnId, items }: ChangesProps) {
  const { t } = useScene();
  const changes = changesOf(items);
  if (changes.length === 0) {
    return null;
  }
  return (
    <div class="acp-changes" role="group" aria-label={t('Changes')}>
      <header role="presentation">
        <b class="grow">{plural(t, changes.length, '1 file changed', '%1 files changed')}</b>
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
              body={() => <Diffs change={change} turnId={turnId} />}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Diffs({ change, turnId }: { readonly change: Change; readonly turnId: string }) {
  const diffs = change.tools.flatMap(tool => tool.diffs.filter(diff => diff.path === change.path));
  return (
    <>
      {diffs.map((diff, index) => (
        <DiffBox key={index} diff={diff} id={`change ${turnId} ${change.path} ${index}`} />
      ))}
    </>
  );
}

function total(changes: readonly Change[], side: 'added' | 'removed'): number | null {
  let sum = 0;
  for (const change of changes) {
    const count = change[side];
    if (count === null) {
      return null;
    }
    sum += count;
  }
  return sum;
}
