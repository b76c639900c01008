import { isTool, isUnseenEdit } from '../../state/items';
import type { Item } from '../../wire/types';

/** A row of a turn: an item, or a group of finished tool calls. */
export type Row =
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly item: Item;
      /** The steps of its subagents. */
      readonly steps: readonly Item[];
    }
  | { readonly kind: 'group'; readonly id: string; readonly items: readonly Item[] };

/** A turn in the order it is drawn. */
export interface Layout {
  /** The agent's steps before its answer, folded once the turn is done; empty for short turns. */
  readonly log: readonly Row[];
  readonly rows: readonly Row[];
}

/** Turns with so few tool calls are not folded. */
const SHORT_TURN = 2;

type Steps = ReadonlyMap<string, readonly Item[]>;

/**
 * Groups two or more consecutive finished tool calls, with thoughts and small notices between them.
 * The newest todo list, calls with subagents and edits allowed without the user aren't grouped.
 */
function rowsOf(items: readonly Item[], steps: Steps): Row[] {
  const single = (item: Item): Row => ({
    kind: 'item',
    id: item.id,
    item,
    steps: steps.get(item.id) ?? NONE,
  });
  const rows: Row[] = [];
  let run: Item[] = [];
  const todos = newestTodos(items);
  const close = () => {
    let end = run.length;
    while (end > 0 && goesAlong(run[end - 1])) {
      end -= 1;
    }
    const group = run.slice(0, end);
    const first = group[0];
    if (first !== undefined && group.filter(isTool).length > 1) {
      rows.push({ kind: 'group', id: `group ${first.id}`, items: group });
    } else {
      rows.push(...group.map(single));
    }
    rows.push(...run.slice(end).map(single));
    run = [];
  };
  for (const item of items) {
    const joins =
      (isFinishedTool(item) && item !== todos && !steps.has(item.id)) ||
      (goesAlong(item) && run.length > 0);
    if (!joins) {
      close();
      rows.push(single(item));
    } else {
      run.push(item);
    }
  }
  close();
  return rows;
}

/** The rows of a turn; once `settled`, all before the answer is in `log`. */
export function layOut(items: readonly Item[], settled: boolean): Layout {
  const { top, steps } = nest(items.filter(isDrawn));
  const rows = (some: readonly Item[]) => rowsOf(some, steps);
  if (!settled) {
    return { log: [], rows: rows(top.filter(item => item.kind !== 'plan')) };
  }
  // Artifacts are below the answer.
  const drawn = top.filter(item => !isOutcome(item));
  const outcome = [
    ...top.filter(item => item.kind === 'artifact'),
    ...top.filter(item => item.kind === 'turn_end'),
  ].flatMap(item => rows([item]));
  const answer = answerStart(drawn);
  const before = drawn.slice(0, answer);
  if (answer === drawn.length || before.filter(isTool).length <= SHORT_TURN) {
    return { log: [], rows: [...rows(drawn), ...outcome] };
  }
  // Background calls stay visible.
  const folded = before.filter(item => !isOngoing(item));
  const shown = [...before.filter(isOngoing), ...drawn.slice(answer)];
  return { log: rows(folded), rows: [...rows(shown), ...outcome] };
}

/** Index of the final answer; the length if there is none. */
function answerStart(items: readonly Item[]): number {
  let index = items.length - 1;
  while (index >= 0 && items[index]?.kind !== 'agent_message') {
    index -= 1;
  }
  if (index < 0) {
    return items.length;
  }
  while (isAnswer(items[index - 1])) {
    index -= 1;
  }
  return index;
}

function isAnswer(item: Item | undefined): boolean {
  return item?.kind === 'agent_message' || item?.kind === 'content_block';
}

/** Whether an item is drawn as a row; the prompt is drawn elsewhere, except later messages. */
function isDrawn(item: Item): boolean {
  return item.kind !== 'user_message' || item.steered;
}

function isOutcome(item: Item): boolean {
  return item.kind === 'artifact' || item.kind === 'turn_end';
}

/** Whether an item may be within a group of tool calls. */
function goesAlong(item: Item | undefined): boolean {
  return (
    (item?.kind === 'thought' && !item.open) ||
    (item?.kind === 'notice' && item.severity === 'info' && item.detail !== '')
  );
}

/** The newest todo list of a turn. */
export function newestTodos(items: readonly Item[]): Item | undefined {
  return items.filter(item => isTool(item) && item.todos !== null).pop();
}

function isOngoing(item: Item): boolean {
  return isTool(item) && item.background;
}

function isFinishedTool(item: Item): boolean {
  return (
    isTool(item) &&
    !item.background &&
    !isUnseenEdit(item) &&
    item.permission?.state !== 'pending' &&
    (item.status === 'completed' || item.status === 'failed' || item.status === 'cancelled')
  );
}

const NONE: readonly Item[] = [];

/** Items of a turn: the agent's own, and those of its subagents by call. */
export interface Nested {
  readonly top: readonly Item[];
  /** By id of a tool call in `top`: all items of its subagents, and of theirs, in order. */
  readonly steps: ReadonlyMap<string, readonly Item[]>;
}

/** Id of the call whose subagent made an item; empty for the agent's own items. */
export function parentOf(item: Item): string {
  return 'parent_id' in item ? item.parent_id : '';
}

/**
 * Nests each item under the outermost call whose subagent made it, if that call comes before it;
 * all others are at the top.
 */
export function nest(items: readonly Item[]): Nested {
  const top: Item[] = [];
  const steps = new Map<string, Item[]>();
  const outermost = new Map<string, string>();
  for (const item of items) {
    const root = outermost.get(parentOf(item));
    if (item.kind === 'tool_call') {
      outermost.set(item.id, root ?? item.id);
    }
    if (root === undefined) {
      top.push(item);
      continue;
    }
    const found = steps.get(root);
    if (found === undefined) {
      steps.set(root, [item]);
    } else {
      found.push(item);
    }
  }
  return { top, steps };
}
