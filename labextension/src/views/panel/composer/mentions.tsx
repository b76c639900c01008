import { useEffect, useRef, useState } from 'preact/hooks';

import { mentionAt, positionsOf } from '../../../state/attachments';
import type { MentionToken } from '../../../state/attachments';
import type { Mention, MentionGroup, MentionSource } from '../../actions';
import type { Translate } from '../../i18n';
import type { IconName } from '../../parts/icon_drawings';
import { Icon } from '../../parts/icons';
import { useUniqueId } from '../../scene';
import { listAria, listKeys } from './completion_list';
import type { Slash } from './slash_commands';

const GROUP_WORDS: Record<MentionGroup, string> = {
  errors: 'Errors',
  variables: 'Variables',
  packages: 'From packages',
  cells: 'Cells',
  documents: 'Open documents',
  files: 'Files',
};

const GROUP_ICONS: Record<MentionGroup, IconName> = {
  errors: 'warning',
  variables: 'variable',
  packages: 'variable',
  cells: 'cell',
  documents: 'file',
  files: 'read',
};

export interface MentionListProps {
  readonly id: string;
  readonly query: string;
  readonly mentions: readonly Mention[];
  readonly active: number;
  readonly t: Translate;
  readonly onActive: (index: number) => void;
  readonly onTake: (index: number) => void;
}

/** The list of what `@` can name, and its handlers. */
export interface Mentioning extends Pick<Slash, 'aria' | 'onKeyDown'> {
  /** Called with each change of the text. */
  readonly onInput: (text: string, caret: number) => void;
  readonly close: () => void;
  readonly list: MentionListProps | null;
}

interface FoundMentions {
  readonly token: MentionToken;
  readonly mentions: readonly Mention[];
  readonly index: number;
}

/** Completes the text after an `@`; without a source nothing. */
export function useMentions(
  source: MentionSource | undefined,
  onTake: (mention: Mention, token: MentionToken) => void,
  t: Translate,
): Mentioning {
  const id = useUniqueId();
  const [shown, setShown] = useState<FoundMentions | null>(null);
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);

  const close = () => {
    stop.current();
    stop.current = () => undefined;
    setShown(null);
  };
  const onInput = (text: string, caret: number) => {
    const token = source === undefined ? null : mentionAt(text, caret);
    if (source === undefined || token === null) {
      close();
      return;
    }
    stop.current();
    // The mentions of the shorter query stay until there are new ones.
    setShown(former => (former === null ? null : { ...former, token, index: 0 }));
    let done = false;
    let first = true;
    const end = source.find(token.query, found => {
      if (!done) {
        const mentions = grouped(found).flat();
        const isFirst = first;
        first = false;
        setShown(former => ({ token, mentions, index: isFirst ? 0 : indexOf(former, mentions) }));
      }
    });
    stop.current = () => {
      done = true;
      end();
    };
  };
  const take = (index: number) => {
    const mention = shown?.mentions[index];
    if (shown !== null && mention !== undefined) {
      close();
      onTake(mention, shown.token);
    }
  };
  if (shown === null || shown.mentions.length === 0) {
    return { aria: {}, onInput, close, onKeyDown: () => false, list: null };
  }
  const { mentions, index } = shown;
  const go = (next: number) => setShown({ ...shown, index: next });
  const onKeyDown = (event: KeyboardEvent): boolean =>
    listKeys(event, { length: mentions.length, active: index, go, take, close });
  return {
    aria: listAria(id, index),
    onInput,
    close,
    onKeyDown,
    list: {
      id,
      query: shown.token.query,
      mentions,
      active: index,
      t,
      onActive: go,
      onTake: take,
    },
  };
}

/** Index of the mention that was active: others may have been inserted before it. */
function indexOf(former: FoundMentions | null, mentions: readonly Mention[]): number {
  const active = former?.mentions[former.index];
  const index = mentions.findIndex(
    ({ group, label, detail }) =>
      group === active?.group && label === active.label && detail === active.detail,
  );
  return Math.max(0, index);
}

export function MentionList({ id, t, mentions, ...rest }: MentionListProps) {
  return (
    <div class="acp-pop acp-mentions" role="listbox" id={id} aria-label={t('Context')}>
      {grouped(mentions).map(own => {
        const words = own[0] && t(GROUP_WORDS[own[0].group]);
        return (
          <div key={own[0]?.group} role="group" aria-label={words}>
            <div class="lbl" aria-hidden="true">
              {words}
            </div>
            {own.map(mention => (
              <Option
                key={`${mention.label} ${mention.detail}`}
                id={id}
                mention={mention}
                index={mentions.indexOf(mention)}
                {...rest}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

interface OptionProps extends Pick<
  MentionListProps,
  'id' | 'query' | 'active' | 'onActive' | 'onTake'
> {
  readonly mention: Mention;
  readonly index: number;
}

function Option({ id, mention, index, query, active, onActive, onTake }: OptionProps) {
  const [before, hit, after] = marked(mention.label, query);
  return (
    <div
      class="opt"
      role="option"
      id={`${id}-${index}`}
      aria-selected={index === active}
      title={mention.label}
      onPointerMove={() => index !== active && onActive(index)}
      // The message box keeps the focus.
      onPointerDown={event => event.preventDefault()}
      onClick={() => onTake(index)}
    >
      <Icon name={GROUP_ICONS[mention.group]} />
      <span class="cut grow">
        {before}
        {hit !== '' && <b>{hit}</b>}
        {after}
      </span>
      {mention.detail !== '' && <span class="muted cut">{mention.detail}</span>}
    </div>
  );
}

/** The message with `word` in place of the query, and the offset of the caret. */
export function withMention(
  text: string,
  { start, end }: MentionToken,
  word: string,
): { readonly text: string; readonly caret: number } {
  const after = text.slice(end);
  const space = /^\s/u.test(after) ? '' : ' ';
  const head = `${text.slice(0, start)}@${word}${space}`;
  return { text: head + after, caret: head.length + (space === '' ? 1 : 0) };
}

/** The range of the mention that ends (Backspace) or begins (Delete) at the caret. */
export function mentionBeside(
  text: string,
  caret: number,
  key: 'Backspace' | 'Delete',
  words: readonly string[],
): readonly [number, number] | null {
  for (const word of words) {
    for (const start of positionsOf(text, word)) {
      const end = start + word.length + 1;
      if (caret === (key === 'Delete' ? start : end)) {
        return [start, end];
      }
    }
  }
  return null;
}

/** The message without the `@` of the mention whose attachment was removed. */
export function withoutMention(text: string, word: string): string {
  return positionsOf(text, word)
    .reverse()
    .reduce((rest, at) => rest.slice(0, at) + rest.slice(at + 1), text);
}

/** Splits a label into the parts before, equal to and after the query. */
export function marked(label: string, query: string): readonly [string, string, string] {
  const at = query === '' ? -1 : label.toLowerCase().indexOf(query.toLowerCase());
  return at < 0
    ? [label, '', '']
    : [label.slice(0, at), label.slice(at, at + query.length), label.slice(at + query.length)];
}

/** The mentions by group; the group of the best mention is first. */
export function grouped(mentions: readonly Mention[]): readonly (readonly Mention[])[] {
  const groups = [...new Set(mentions.map(({ group }) => group))];
  return groups.map(group => mentions.filter(mention => mention.group === group));
}
