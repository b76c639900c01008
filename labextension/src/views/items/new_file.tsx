import type { Diff } from '../../wire/types';
import { Icon } from '../parts/icons';
import { Counts, Path } from '../parts/path';
import { useScene } from '../parts/scene';
import { FileLines } from './lines';

interface NewFileProps {
  readonly diff: Diff;
  /** Names it in the store. */
  readonly id: string;
  readonly line: number | null;
}

/** A file that was not there before: its text, with nothing to compare it to. */
export function NewFile({ diff, id, line }: NewFileProps) {
  const { t } = useScene();
  return (
    <FileLines
      id={id}
      text={diff.new_text}
      first={1}
      whole
      path={diff.path}
      line={line}
      header={
        <>
          <Icon name="plus" />
          <span class="cut grow">
            <Path path={diff.path} />
          </span>
          <span class="badge">{t('new')}</span>
          <Counts added={diff.added} removed={diff.removed} />
        </>
      }
    />
  );
}
