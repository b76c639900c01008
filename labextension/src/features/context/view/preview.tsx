import { useEffect, useState } from 'preact/hooks';

import { Failure } from '../../../delivery/failure';
import type { DraftAttachment } from '../../../state/attachments';
import { UNPINNED } from '../../../state/ui';
import type { Block } from '../../../lab/context/content_blocks';
import type { ComposerHead } from '../../../views/additions';
import { plural } from '../../../views/i18n';
import { useScene, useValue } from '../../../views/scene';
import type { NotebookContext, SessionState } from '../../../wire/types';
import { kindOf } from '../going_along';
import type { Going } from '../going_along';
import { GoingList } from './going_list';

/** Pause before it is read, since several things may change together. */
const PAUSE_MS = 100;

/** What the preview needs of the page. */
export interface PreviewParts {
  readonly blocks: (attachments: readonly DraftAttachment[]) => Promise<Block[]>;
  readonly pinned: (session: SessionState | null) => Promise<NotebookContext>;
  /** Calls back when a notebook has changed; returns a function that stops it. */
  readonly onChange: (listener: () => void) => () => void;
}

interface Read {
  readonly block: Block | null;
  readonly words: string;
}

const NOTHING: NotebookContext = { cells: [], pinned: [], too_many: 0 };

/** What goes along with the message that is being written: a line that opens to the blocks. */
export function preview(parts: PreviewParts) {
  return function Preview(props: ComposerHead) {
    const { t } = useScene();
    const { context, words, attached } = useGoing(parts, props);
    const [unpinned, setUnpinned] = useValue(UNPINNED);
    const out = new Set(unpinned.split('\n').filter(Boolean));
    const all: Going[] = [
      ...props.attachments.map((attachment, index): Going => {
        const read = attached.get(attachment);
        return {
          key: `${index} ${attachment.kind} ${attachment.label}`,
          kind: kindOf(attachment),
          label: attachment.label,
          block: read?.block ?? null,
          words: read === undefined ? t('Reading it…') : read.words,
          isOut: false,
          onToggle: () => props.onRemove(attachment),
        };
      }),
      ...context.pinned.map(({ number, cell_id: id, block }): Going => {
        const isOut = out.has(id);
        const others = [...out].filter(each => each !== id);
        return {
          ...{ key: `pinned ${id}`, kind: 'cell', label: t('Cell %1, pinned', number) },
          ...{ block, words: '', isOut },
          onToggle: () => setUnpinned((isOut ? others : [...others, id]).join('\n')),
        };
      }),
    ];
    const more =
      context.too_many === 0
        ? ''
        : plural(
            t,
            context.too_many,
            '1 more pinned cell does not go along.',
            '%1 more pinned cells don’t go along.',
          );
    return <GoingList all={all} words={words} more={more} />;
  };
}

/** Reads what goes along, again after each change. */
function useGoing(parts: PreviewParts, { session, attachments }: ComposerHead) {
  const { t } = useScene();
  const [context, setContext] = useState(NOTHING);
  const [words, setWords] = useState('');
  const [attached, setAttached] = useState<ReadonlyMap<DraftAttachment, Read>>(new Map());
  const [changes, setChanges] = useState(0);
  const place = `${session?.session_id ?? ''} ${session?.notebook_path ?? ''}`;
  useEffect(() => parts.onChange(() => setChanges(count => count + 1)), []);
  useEffect(
    () =>
      later(async isCurrent => {
        let found = NOTHING;
        let failure = '';
        try {
          found = await parts.pinned(session);
        } catch (error) {
          const { message } = Failure.from(error);
          failure = t('What is pinned could not be read: %1', message);
        }
        if (isCurrent()) {
          setContext(found);
          setWords(failure);
        }
      }),
    [place, changes],
  );
  useEffect(
    () =>
      later(async isCurrent => {
        const read = await Promise.all(
          attachments.map(async (one): Promise<[DraftAttachment, Read]> => [
            one,
            await readOne(one),
          ]),
        );
        if (isCurrent()) {
          setAttached(new Map(read));
        }
      }),
    [attachments, changes, place],
  );
  return { context, words, attached };

  async function readOne(one: DraftAttachment): Promise<Read> {
    try {
      // An output that shows a picture has its text, too, until it is known what the agent takes.
      const [block = null, other] = await parts.blocks([one]);
      return { block, words: other === undefined ? '' : t('as text if the agent takes no images') };
    } catch (error) {
      return { block: null, words: Failure.from(error).message };
    }
  }
}

/** Does something after a pause, unless it is no longer wanted. */
function later(read: (isCurrent: () => boolean) => Promise<void>): () => void {
  let wanted = true;
  const timer = setTimeout(() => void read(() => wanted), PAUSE_MS);
  return () => {
    wanted = false;
    clearTimeout(timer);
  };
}
