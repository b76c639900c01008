import { agentOf } from '../../state/session_view';
import type { Diff } from '../../wire/types';
import { press } from '../user_events';
import { iconOf } from '../changes/changed_file';
import type { Decision } from '../changes/decisions';
import { decisionWords } from '../changes/hunk_frame';
import { plural } from '../i18n';
import { Counts, Path } from '../parts/files';
import { Icon } from '../parts/icons';
import { useScene } from '../scene';
import { countsOf } from './entries';
import type { TurnEntries } from './entries';
import { countFiles } from './revert_steps';
import { nameOf } from './turn_link';

interface ReviewListProps {
  readonly turns: readonly TurnEntries[];
  readonly diffs: ReadonlyMap<string, Diff>;
  readonly decisions: ReadonlyMap<string, Decision>;
  /** Key of the file that has the focus. */
  readonly current: string;
  /** Whether turns have headings. */
  readonly named: boolean;
  /** Whether the files are shown, not only their number. */
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** The list of changed files by turn; a click scrolls to the file. */
export function ReviewList(props: ReviewListProps) {
  const { turns, diffs, decisions, current, named, open, onOpen } = props;
  const { t } = useScene();
  const count = decisions.size;
  const files = countFiles(turns.flatMap(turn => turn.entries));
  const decided = [...decisions.values()].filter(decision => decision !== 'open').length;
  return (
    <nav class="acp-files" aria-label={t('Changed files')}>
      <h3>
        <button type="button" aria-expanded={open} onClick={() => onOpen(!open)}>
          <Icon name="chevron" small class="chev" />
          <span class="cut grow">
            {plural(t, files, '1 file', '%1 files')}
            {decided > 0 && ` · ${t('%1 of %2 decided', decided, count)}`}
          </span>
        </button>
      </h3>
      {(open ? turns : []).map(({ turn, source, entries, changes }) => (
        <div key={turn.turn_id} role="group" aria-label={turn.prompt}>
          {named && (
            <h3 class="cut" title={turn.prompt} dir="auto">
              {[nameOf(turn, source.actions, t), agentOf(source.store.view).name]
                .filter(part => part !== '')
                .join(' · ')}
            </h3>
          )}
          {entries.map(entry => (
            <button
              key={entry.key}
              type="button"
              aria-current={entry.key === current ? 'true' : undefined}
              data-state={decisions.get(entry.key)}
              onClick={event => goTo(event.currentTarget, entry.key)}
            >
              <Icon name={iconOf(entry.file)} />
              <span class="cut grow">
                <Path path={entry.file.path} />
              </span>
              <Mark decision={decisions.get(entry.key) ?? 'open'} />
              <Counts {...countsOf(entry, diffs.get(entry.key))} />
            </button>
          ))}
          {changes.left_out > 0 && (
            <p class="muted">
              {plural(t, changes.left_out, 'and 1 more file', 'and %1 more files')}
            </p>
          )}
        </div>
      ))}
    </nav>
  );
}

function Mark({ decision }: { readonly decision: Decision }) {
  const { t } = useScene();
  if (decision === 'open') {
    return null;
  }
  const words = decisionWords(decision, t);
  return (
    <span
      class={decision === 'kept' ? 'mark ok' : 'mark'}
      role="img"
      aria-label={words}
      title={words}
    >
      <Icon name={decision === 'kept' ? 'keep' : decision === 'left' ? 'next' : 'revert'} small />
    </span>
  );
}

function goTo(button: Element, key: string): void {
  const files = button.closest('.acp')?.querySelectorAll<HTMLElement>('[data-file]') ?? [];
  const file = [...files].find(each => each.dataset['key'] === key);
  press(file?.querySelector('[data-do=show]'));
  file?.focus({ preventScroll: true });
  file?.scrollIntoView({ block: 'start' });
}
