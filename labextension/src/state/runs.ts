import type { Run, SessionView } from './session_view';
import { growthKey } from './texts';

/** Most items kept before the newest ones, when a user jumps about. */
export const MAX_EARLIER = 5_000;

/** A range of a turn's items, by their indexes; the items around it may not be loaded. */
export interface Part {
  readonly from: number;
  /** The first index after the range. */
  readonly to: number;
  /** Whether it is the last part of its turn. */
  readonly last: boolean;
  /** Whether the items before and after it are not loaded: then it is not folded. */
  readonly alone: boolean;
}

/** Ids of the loaded items of a turn, or of a part of it. */
export function idsOf(view: SessionView, turnId: string, part: Part | null): readonly string[] {
  const ids = view.byTurn.get(turnId) ?? [];
  return part === null
    ? ids
    : ids.filter(id => {
        const index = view.positions.get(id) ?? -1;
        return index >= part.from && index < part.to;
      });
}

export function endOf({ firstIndex, ids }: Run): number {
  return firstIndex + ids.length;
}

/** The runs with another one added, in order; runs that touch or overlap are joined. */
export function withRun(runs: readonly Run[], added: Run): Run[] {
  let joined = added;
  const before: Run[] = [];
  const after: Run[] = [];
  for (const run of runs) {
    if (endOf(run) < joined.firstIndex) {
      before.push(run);
    } else if (endOf(joined) < run.firstIndex) {
      after.push(run);
    } else {
      joined = join(run, joined);
    }
  }
  return joined.ids.length === 0 ? [...runs] : [...before, joined, ...after];
}

/** Two runs that touch or overlap, as one. */
function join(one: Run, other: Run): Run {
  const [first, second] = one.firstIndex <= other.firstIndex ? [one, other] : [other, one];
  const rest = second.ids.slice(Math.max(0, endOf(first) - second.firstIndex));
  return { firstIndex: first.firstIndex, ids: [...first.ids, ...rest] };
}

/**
 * The view without the earlier runs that are farthest from an index, so that few items are kept.
 *
 * The run at that index stays, and so does one with an item of a turn that `isHeld`.
 */
export function withoutFar(
  view: SessionView,
  index: number,
  isHeld: (turnId: string) => boolean,
  most = MAX_EARLIER,
): SessionView {
  const distance = (run: Run) => Math.max(run.firstIndex - index, index - endOf(run), 0);
  const loose = view.earlier
    .filter(({ ids }) => !ids.some(id => isHeld(view.items.get(id)?.turn_id ?? '')))
    .sort((one, other) => distance(other) - distance(one));
  let count = loose.reduce((sum, { ids }) => sum + ids.length, 0);
  const gone = new Set<Run>();
  for (const run of loose) {
    if (count > most && distance(run) > 0) {
      gone.add(run);
      count -= run.ids.length;
    }
  }
  return gone.size === 0 ? view : without(view, gone);
}

function without(view: SessionView, gone: ReadonlySet<Run>): SessionView {
  const items = new Map(view.items);
  const positions = new Map(view.positions);
  const growth = new Map(view.growth);
  const turns = new Set<string>();
  for (const id of [...gone].flatMap(({ ids }) => ids)) {
    turns.add(items.get(id)?.turn_id ?? '');
    items.delete(id);
    positions.delete(id);
    growth.delete(growthKey(id, 'text'));
    growth.delete(growthKey(id, 'output'));
  }
  const byTurn = new Map(view.byTurn);
  for (const turnId of turns) {
    const left = (byTurn.get(turnId) ?? []).filter(id => items.has(id));
    if (left.length === 0) {
      byTurn.delete(turnId);
    } else {
      byTurn.set(turnId, left);
    }
  }
  const earlier = view.earlier.filter(run => !gone.has(run));
  return { ...view, items, positions, growth, byTurn, earlier };
}
