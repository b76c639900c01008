import { useEffect, useState } from 'preact/hooks';

import { listedCommands } from '../../../state/listed_commands';
import type { ListedCommand } from '../../../state/listed_commands';
import type { SlashCommand } from '../../../wire/types';
import type { Actions } from '../../actions';
import type { AddedCommand } from '../../additions';
import type { Translate } from '../../i18n';
import { useAllAdditions, useUniqueId } from '../../scene';
import { listAria, listKeys } from './completion_list';

/** The list of commands, and the message box's handlers for it. */
export interface Slash {
  readonly aria: {
    readonly 'aria-autocomplete'?: 'list';
    readonly 'aria-haspopup'?: 'listbox';
    readonly 'aria-controls'?: string;
    readonly 'aria-activedescendant'?: string;
  };
  /** Handles a key; returns whether it was handled. */
  onKeyDown(event: KeyboardEvent): boolean;
  readonly list: SlashListProps | null;
}

export interface SlashListProps {
  readonly id: string;
  readonly label: string;
  readonly commands: readonly Listed[];
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onTake: (index: number) => void;
}

type Listed = ListedCommand<AddedCommand>;

/** What features add for a session; asked for each time that a message begins with a slash. */
export function useAddedCommands(
  text: string,
  sessionId: string,
  actions: Actions,
): readonly AddedCommand[] {
  const additions = useAllAdditions(actions);
  const slashed = /^\/\S*$/u.test(text);
  const [added, setAdded] = useState<readonly AddedCommand[]>([]);
  useEffect(() => {
    let over = !slashed;
    if (slashed) {
      const lists = additions.get('slashCommands').map(list => list(sessionId));
      void Promise.all(lists).then(found => over || setAdded(found.flat()));
    }
    return () => {
      over = true;
    };
  }, [slashed, sessionId, additions]);
  return added;
}

/** Completes the commands while a message starts with a slash. */
export function useSlash(
  text: string,
  commands: readonly SlashCommand[],
  added: readonly AddedCommand[],
  onTake: (command: SlashCommand, added: AddedCommand | null) => void,
  t: Translate,
): Slash {
  const id = useUniqueId();
  const [closed, setClosed] = useState<string | null>(null);
  const [chosen, setChosen] = useState({ text, index: 0 });
  const matches = closed === text ? [] : listedCommands(text, commands, added, t);
  const active = chosen.text === text ? Math.min(chosen.index, matches.length - 1) : 0;
  const go = (index: number) => setChosen({ text, index });
  const take = (index: number) => {
    const command = matches[index];
    if (command !== undefined && (command.added?.problem ?? '') === '') {
      onTake(command, command.added ?? null);
    }
  };
  if (matches.length === 0) {
    return { aria: {}, onKeyDown: () => false, list: null };
  }
  const close = () => setClosed(text);
  const onKeyDown = (event: KeyboardEvent): boolean =>
    listKeys(event, { length: matches.length, active, go, take, close });
  return {
    aria: listAria(id, active),
    onKeyDown,
    list: { id, label: t('Commands'), commands: matches, active, onActive: go, onTake: take },
  };
}

export function SlashList({ id, label, commands, active, onActive, onTake }: SlashListProps) {
  return (
    <div class="acp-pop acp-slash" role="listbox" id={id} aria-label={label}>
      {commands.map((command, index) => (
        <div
          key={command.name}
          class="opt"
          role="option"
          id={`${id}-${index}`}
          aria-selected={index === active}
          aria-disabled={(command.added?.problem ?? '') !== ''}
          onPointerMove={() => onActive(index)}
          // The message box keeps the focus.
          onPointerDown={event => event.preventDefault()}
          onClick={() => onTake(index)}
        >
          <span class="grow">
            /{command.name}
            {command.hint !== '' && <span class="muted"> {command.hint}</span>}
            {command.added !== undefined && <span class="muted"> · {command.added.label}</span>}
            {[command.description, command.added?.problem ?? '']
              .filter(words => words !== '')
              .map(words => (
                <small class="muted" key={words}>
                  {words}
                </small>
              ))}
          </span>
        </div>
      ))}
    </div>
  );
}

/** The message after a command was chosen; its arguments follow. */
export function withCommand({ name }: SlashCommand): string {
  return `/${name} `;
}
