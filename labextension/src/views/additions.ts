import type { ComponentType } from 'preact';

import type { DraftAttachment } from '../state/attachments';
import type { UiState } from '../state/ui';
import type { Notice, SessionState, SlashCommand, TurnState } from '../wire/types';
import type { Translate } from './i18n';

/** What a feature adds to the core's views. */
export interface Addition {
  /** Beside the folder of the panel's session. */
  readonly panelHead?: ComponentType<{ readonly session: SessionState }>;
  /** Over the message box. */
  readonly composer?: ComponentType<ComposerHead>;
  /** A page of the panel. */
  readonly panelPage?: AddedPage;
  /** An item in the menu of a session; `null` for none. */
  readonly sessionMenu?: (menu: SessionMenu) => AddedItem | null;
  /** In the last line of a finished turn. */
  readonly turnFooter?: ComponentType<{
    readonly turn: TurnState;
    readonly onFailure: (message: string) => void;
  }>;
  /** What a notice offers. */
  readonly offer?: ComponentType<{ readonly item: Notice }>;
  /** Commands at the beginning of a message, after those of the agent; an empty id for none. */
  readonly slashCommands?: (sessionId: string) => Promise<readonly AddedCommand[]>;
  /** In the head of a review that has one notebook. */
  readonly reviewHead?: ComponentType<{ readonly notebook: string }>;
}

export interface AddedCommand extends SlashCommand {
  /** What it is, in a word or two. */
  readonly label: string;
  /** Id of the agent that it is for; empty for any. */
  readonly agent: string;
  /** Why it can't be used; empty if it can. */
  readonly problem: string;
  /** Asks for its arguments; `null` if it has none. */
  readonly form: CommandForm | null;
}

export type CommandForm = ComponentType<{
  /** Takes the message. */
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}>;

/** The message that is being written. */
export interface ComposerHead {
  /** `null` before there is a session. */
  readonly session: SessionState | null;
  readonly attachments: readonly DraftAttachment[];
  readonly onRemove: (attachment: DraftAttachment) => void;
  readonly ui: UiState;
}

export interface AddedPage {
  readonly id: string;
  /** Its name in the menu of new sessions. */
  readonly name: (t: Translate) => string;
  /** Selects the element that is focused first. */
  readonly first: string;
  readonly view: ComponentType<{ readonly onBack: () => void }>;
}

/** The menu of a session: of the one that the panel shows, or of a row in the list. */
export interface SessionMenu {
  readonly sessionId: string;
  readonly where: 'panel' | 'list';
  readonly t: Translate;
  readonly onFailure: (message: string) => void;
}

export interface AddedItem {
  readonly name: string;
  /** Lower ranks come first. */
  readonly rank: number;
  readonly onChoose: () => void;
}

/** What all features add to the core's views. */
export class Additions {
  #all: readonly Addition[] = [];
  readonly #listeners = new Set<() => void>();

  /** What was added under a name. */
  get<Name extends keyof Addition>(name: Name): NonNullable<Addition[Name]>[] {
    return this.#all.flatMap(each => each[name] ?? []);
  }

  /** The items in the menu of a session. */
  itemsOf(menu: SessionMenu): AddedItem[] {
    const items = this.get('sessionMenu').flatMap(itemOf => itemOf(menu) ?? []);
    return items.sort((one, other) => one.rank - other.rank);
  }

  add(addition: Addition): this {
    this.#all = [...this.#all, addition];
    this.#listeners.forEach(each => each());
    return this;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };
}
