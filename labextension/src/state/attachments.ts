import type { SlashCommand } from '../wire/types';

/** A cell of an open notebook. */
interface OfCell {
  /** Path of the notebook on the server. */
  readonly notebook: string;
  readonly cellId: string;
}

/** An attachment of the message being written; its content is read when the message is sent. */
export type DraftAttachment = {
  readonly label: string;
  /**
   * The word after the `@` that attached it: if the message no longer has it, it isn't attached.
   */
  readonly mention?: string;
} & (
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'document'; readonly path: string }
  | ({ readonly kind: 'cell' } & OfCell)
  | { readonly kind: 'variable'; readonly notebook: string; readonly name: string }
  /** The error's text at that time: the cell may have run again. */
  | ({ readonly kind: 'error'; readonly text: string } & OfCell)
  | OutputAttachment
  | { readonly kind: 'selection'; readonly path: string; readonly text: string }
  /** A text file of the user's own machine. */
  | { readonly kind: 'text'; readonly text: string; readonly mimeType: string }
  | ({ readonly kind: 'image' } & Picture)
);

/** An output of a cell, as it was at that time: the cell may have run again. */
export type OutputAttachment = {
  readonly kind: 'output';
  /** Which of the cell's outputs it is, counted from 1. */
  readonly number: number;
  /** What it says as text; the middle of a very long one is left out. */
  readonly text: string;
  /** How many characters are left out. */
  readonly leftOut: number;
  /** What it shows, if that is a picture that agents take. */
  readonly picture: Picture | null;
} & OfCell;

/** `data` is base64. */
export interface Picture {
  readonly data: string;
  readonly mimeType: string;
}

/** Types of pictures that agents take. */
export const IMAGE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);

export const MAX_IMAGE_BYTES = 5_000_000;

/** Most attachments of one message. */
export const MAX_ATTACHMENTS = 20;

/** The attachments of the message that is being written. */
export class Attachments {
  #list: readonly DraftAttachment[] = [];
  /** Attachments whose `@` word was deleted; undoing that brings them back. */
  #unmentioned: readonly DraftAttachment[] = [];
  readonly #listeners = new Set<(added: boolean) => void>();

  get list(): readonly DraftAttachment[] {
    return this.#list;
  }

  /** Adds an attachment, once; returns false if there are too many. */
  add(one: DraftAttachment): boolean {
    const key = keyOf(one);
    const others = this.#list.filter(other => keyOf(other) !== key);
    if (others.length >= MAX_ATTACHMENTS) {
      return false;
    }
    this.#become([...others, one], true);
    return true;
  }

  remove(one: DraftAttachment): void {
    this.#become(
      this.#list.filter(other => other !== one),
      false,
    );
  }

  /** Attaches what the message mentions, and detaches what it no longer mentions. */
  followText(text: string): void {
    const gone = this.#list.filter(({ mention }) => !isIn(text, mention));
    const back = this.#unmentioned.filter(({ mention }) => isIn(text, mention));
    if (gone.length === 0 && back.length === 0) {
      return;
    }
    const stays = this.#list.filter(one => !gone.includes(one));
    this.#unmentioned = [...this.#unmentioned.filter(one => !back.includes(one)), ...gone];
    this.#become([...stays, ...back].slice(0, MAX_ATTACHMENTS), back.length > 0);
  }

  /** Removes and returns all of them. */
  take(): readonly DraftAttachment[] {
    const taken = this.#list;
    this.#unmentioned = [];
    if (taken.length > 0) {
      this.#become([], false);
    }
    return taken;
  }

  /** `listener` gets whether an attachment was added. */
  subscribe(listener: (added: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #become(list: readonly DraftAttachment[], added: boolean): void {
    this.#list = list;
    for (const listener of [...this.#listeners]) {
      listener(added);
    }
  }
}

/**
 * Whether a message has `@word`; true without a word, since nothing mentions the attachment then.
 */
function isIn(text: string, word: string | undefined): boolean {
  return word === undefined || positionsOf(text, word).length > 0;
}

/** Offsets of `@word` in a text, as a separate word. */
export function positionsOf(text: string, word: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(`@${word}`); at >= 0; at = text.indexOf(`@${word}`, at + 1)) {
    if (!/^[\p{L}\p{N}_]/u.test(text.slice(at + word.length + 1))) {
      found.push(at);
    }
  }
  return found;
}

/** The word that is being typed after `@`. */
export interface MentionToken {
  readonly query: string;
  /** Offset of the `@`. */
  readonly start: number;
  readonly end: number;
}

/** Longer queries count as ordinary text. */
const LONGEST = 100;

/** The word between an `@` and the caret; `@` must start a word. */
export function mentionAt(text: string, caret: number): MentionToken | null {
  const before = text.slice(Math.max(0, caret - LONGEST - 2), caret);
  const query = /(?:^|[\s([{,;:"'])@([^\s@]*)$/u.exec(before)?.[1];
  if (query === undefined || query.length > LONGEST) {
    return null;
  }
  return { query, start: caret - query.length - 1, end: caret };
}

/** Most commands shown at once. */
const SHOWN = 8;

/** The commands that match what was typed; only at the start of the message. */
export function slashMatches<Command extends SlashCommand>(
  text: string,
  commands: readonly Command[],
): readonly Command[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) {
    return [];
  }
  const starts = commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
  const others = commands.filter(
    command => !starts.includes(command) && command.name.toLowerCase().includes(typed),
  );
  return [...starts, ...others].slice(0, SHOWN);
}

function keyOf(one: DraftAttachment): string {
  switch (one.kind) {
    case 'file':
    case 'document':
      return `file ${one.path}`;
    case 'cell':
    case 'error':
      return `${one.kind} ${one.notebook} ${one.cellId}`;
    case 'output':
      return `output ${one.notebook} ${one.cellId} ${one.number}`;
    case 'variable':
      return `variable ${one.notebook} ${one.name}`;
    case 'selection':
      return `selection ${one.path} ${one.text}`;
    case 'text':
      return `text ${one.label} ${one.text}`;
    case 'image':
      return `image ${one.data.length} ${one.data.slice(-256)}`;
  }
}
