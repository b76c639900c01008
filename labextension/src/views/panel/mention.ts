import type { DraftAttachment } from '../../state/attachments';

export type MentionGroup = 'errors' | 'variables' | 'cells' | 'documents' | 'files';

/** Something that `@` can name. */
export interface Mention {
  readonly group: MentionGroup;
  readonly label: string;
  /** What stands beside it, e.g. a type. */
  readonly detail: string;
  /** What is written in its place. */
  readonly word: string;
  readonly attachment: DraftAttachment;
}

/** What may be said of the page the composer is in. */
export interface MentionSource {
  /**
   * Looks for what fits, best first; `found` is called again when more is known.
   *
   * Returns the way to stop.
   */
  find(query: string, found: (mentions: readonly Mention[]) => void): () => void;
}

/** The word that is being written after `@`. */
export interface MentionToken {
  readonly query: string;
  /** Where the `@` stands. */
  readonly start: number;
  readonly end: number;
}

/** A name that is longer is a text. */
const LONGEST = 100;

/** What is written between an `@` and the caret; `@` must begin a word. */
export function mentionAt(text: string, caret: number): MentionToken | null {
  const before = text.slice(Math.max(0, caret - LONGEST - 2), caret);
  const query = /(?:^|[\s([{,;:"'])@([^\s@]*)$/u.exec(before)?.[1];
  if (query === undefined || query.length > LONGEST) {
    return null;
  }
  return { query, start: caret - query.length - 1, end: caret };
}

/** The message with the word in place of what was typed, and where the caret goes. */
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

/** A name in three parts, the middle one being what was typed. */
export function marked(label: string, query: string): readonly [string, string, string] {
  const at = query === '' ? -1 : label.toLowerCase().indexOf(query.toLowerCase());
  return at < 0
    ? [label, '', '']
    : [label.slice(0, at), label.slice(at, at + query.length), label.slice(at + query.length)];
}

/** In groups; that of what fits best comes first. */
export function grouped(mentions: readonly Mention[]): readonly (readonly Mention[])[] {
  const groups = [...new Set(mentions.map(({ group }) => group))];
  return groups.map(group => mentions.filter(mention => mention.group === group));
}
