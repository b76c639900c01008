import { isTool } from '../../../../state/items';
import type { ChangedFile, Diff, TurnState } from '../../../../wire/types';
import { changesOf } from '../../../../views/changes/reported';
import type { Change } from '../../../../views/changes/reported';
import type { Failure } from '../../../../views/props';
import type { Source } from '../../../../views/review';

/** One of the variants of a prompt. */
export interface Variant {
  readonly source: Source;
  /** Its only turn; absent while nothing is known of it. */
  readonly turn: TurnState | undefined;
  /** From 1. */
  readonly number: number;
  /** Why the server does not show it. */
  readonly failure: Failure | null;
}

/** A variant's change of a file. */
export interface FileOfVariant {
  readonly variant: Variant;
  /** `null` while the variant works. */
  readonly file: ChangedFile | null;
  /** The change as its tool calls have reported it so far. */
  readonly reported: Change | null;
}

/** A file that at least one variant changed. */
export interface VariantsFile {
  readonly path: string;
  readonly changes: readonly FileOfVariant[];
}

/** The variants of some sessions, in the order of their numbers. */
export function variantsOf(
  sources: readonly Source[],
  failures: ReadonlyMap<string, Failure>,
): Variant[] {
  const all = sources.map((source, index): Variant => {
    const { view } = source.store;
    const turn = [...view.turns.values()].find(each => each.variant > 0);
    const number = turn?.variant ?? view.session?.variant?.number ?? index + 1;
    return { source, turn, number, failure: failures.get(view.sessionId) ?? null };
  });
  return all.sort((one, other) => one.number - other.number);
}

/** The variants' changes, by path. */
export function filesOf(variants: readonly Variant[]): VariantsFile[] {
  const byPath = new Map<string, FileOfVariant[]>();
  for (const variant of variants) {
    for (const change of ofVariant(variant)) {
      const path = change.file?.path ?? change.reported?.path ?? '';
      byPath.set(path, [...(byPath.get(path) ?? []), change]);
    }
  }
  return [...byPath]
    .map(([path, changes]) => ({ path, changes }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

function ofVariant(variant: Variant): FileOfVariant[] {
  const { source, turn } = variant;
  if (turn === undefined) {
    return [];
  }
  if (isOver(turn)) {
    return (turn.changes?.files ?? []).map(file => ({ variant, file, reported: null }));
  }
  const { view } = source.store;
  const items = (view.byTurn.get(turn.turn_id) ?? []).flatMap(id => view.items.get(id) ?? []);
  return changesOf(items.filter(isTool)).map(reported => ({ variant, file: null, reported }));
}

/** The diffs that were fetched, by `diffKey`. */
export type Diffs = ReadonlyMap<string, Diff>;

export function diffKey({ source }: Variant, path: string): string {
  return `${source.store.sessionId} ${path}`;
}

export function isOver(turn: TurnState | undefined): boolean {
  return turn?.status === 'done';
}
