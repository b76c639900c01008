import { endOf } from '../../../state/runs';
import type { Part } from '../../../state/runs';
import type { Run, SessionView } from '../../../state/session_view';

/** A segment of the transcript: a turn, an item between turns, or a gap. */
export interface Segment {
  readonly id: string;
  /** `null` for an item between turns, and for a gap. */
  readonly turnId: string | null;
  /** Number of its loaded items; a gap counts as one. */
  readonly items: number;
  /** Index of its first item in the whole transcript. */
  readonly first: number;
  /** The part of its turn's items that it has; `null` for all loaded ones. */
  readonly part: Part | null;
  readonly gap: Gap | null;
}

/** Items that are not loaded: an empty space. */
export interface Gap {
  readonly first: number;
  readonly count: number;
  /** In pixels, in proportion to the items. */
  readonly height: number;
}

/** Height of an item in a gap. */
const ITEM_HEIGHT = 20;

/** Height of all gaps; elements of over 33 million pixels are cut by browsers. */
const MAX_HEIGHT = 16_000_000;

/** Height of a gap's text and button. */
const MIN_HEIGHT = 64;

/** The loaded items of the session in order, with gaps for the others. */
export function segmentsOf(view: SessionView): Segment[] {
  // Queued messages are only in the queue, where the user can edit them.
  const waiting = new Set(view.session?.queue.map(prompt => prompt.turn_id));
  const isHidden = (turnId: string) => waiting.has(turnId) || isSteered(view, turnId);
  const newest: Run = { firstIndex: view.firstIndex, ids: view.order };
  const segments: Segment[] = [];
  let end = 0;
  for (const run of [...view.earlier, newest]) {
    if (run.firstIndex > end) {
      segments.push(gapOf(end, run.firstIndex - end, endOf(newest)));
    }
    addRun(segments, run, run === newest, view, isHidden);
    end = endOf(run);
  }
  return withParts(segments);
}

/** Adds a segment for each turn and each item between turns of a run. */
function addRun(
  segments: Segment[],
  { firstIndex, ids }: Run,
  isNewest: boolean,
  view: SessionView,
  isHidden: (turnId: string) => boolean,
): void {
  const from = segments.length;
  const to = isNewest ? Infinity : firstIndex + ids.length;
  const part = { from: firstIndex, to, last: true, alone: false };
  const turns = new Map<string, number>();
  ids.forEach((id, offset) => {
    const turnId = view.items.get(id)?.turn_id ?? null;
    if (turnId !== null && isHidden(turnId)) {
      return;
    }
    const index = turnId === null ? undefined : turns.get(turnId);
    const known = index === undefined ? undefined : segments[index];
    if (index !== undefined && known !== undefined) {
      segments[index] = { ...known, items: known.items + 1 };
      return;
    }
    if (turnId !== null) {
      turns.set(turnId, segments.length);
    }
    const first = firstIndex + offset;
    segments.push({ id: turnId ?? id, turnId, items: 1, first, part, gap: null });
  });
  const only = segments[from];
  if (!isNewest && only !== undefined && segments.length === from + 1) {
    segments[from] = { ...only, part: { ...part, alone: true } };
  }
}

/** A turn in several runs is drawn in parts; the last has the turn's own id. */
function withParts(segments: Segment[]): Segment[] {
  const later = new Set<string>();
  const several = new Set<string>();
  for (const { turnId } of segments) {
    if (turnId !== null) {
      (later.has(turnId) ? several : later).add(turnId);
    }
  }
  later.clear();
  for (let index = segments.length - 1; index >= 0; index -= 1) {
    const segment = segments[index];
    const { turnId = null, part = null, first = 0 } = segment ?? {};
    if (segment === undefined || turnId === null || part === null) {
      continue;
    }
    if (later.has(turnId)) {
      const id = `${turnId} ${first}`;
      segments[index] = { ...segment, id, part: { ...part, last: false } };
    } else if (!several.has(turnId) && !part.alone) {
      segments[index] = { ...segment, part: null };
    }
    later.add(turnId);
  }
  return segments;
}

function gapOf(first: number, count: number, total: number): Segment {
  const each = Math.min(ITEM_HEIGHT, MAX_HEIGHT / total);
  const height = Math.max(MIN_HEIGHT, Math.round(count * each));
  const gap = { first, count, height };
  return { id: `gap ${first}`, turnId: null, items: 1, first, part: null, gap };
}

/** Whether its message is in the turn that was running when the agent received it. */
function isSteered(view: SessionView, turnId: string): boolean {
  return view.turns.get(turnId)?.stop_reason === 'steered';
}

/** Index of the segment with an item, which is given by its index in the whole transcript. */
export function segmentAt(segments: readonly Segment[], place: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.first ?? 0) <= place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Math.max(0, low - 1);
}

/** Number of items that are not loaded. */
export function missingIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { gap }) => sum + (gap?.count ?? 0), 0);
}
