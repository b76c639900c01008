import { isTool } from '../../state/items';
import type { Item } from '../../wire/types';

/** A line of a turn: an item, or a run of finished tool calls. */
export type Row =
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly item: Item;
      /** What subagents did for it. */
      readonly steps: readonly Item[];
    }
  | { readonly kind: 'group'; readonly id: string; readonly items: readonly Item[] };

/** A turn in the order it is drawn. */
export interface Layout {
  /** What the agent did, folded once the turn is done; empty for short turns. */
  readonly log: readonly Row[];
  readonly rows: readonly Row[];
}

/** Turns with so few tool calls keep their lines. */
const SHORT_TURN = 2;

type Steps = ReadonlyMap<string, readonly Item[]>;

/**
 * Runs of two or more finished tool calls become one group; thoughts and small
 * notices between them go along. The newest todo list stays in sight, and so does a call that
 * subagents worked for.
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

/** The rows of a turn; once `settled`, with everything before the answer in the log. */
export function layOut(items: readonly Item[], settled: boolean): Layout {
  const { top, steps } = nest(items.filter(isDrawn));
  const rows = (some: readonly Item[]) => rowsOf(some, steps);
  if (!settled) {
    return { log: [], rows: rows(top.filter(item => item.kind !== 'plan')) };
  }
  // What was made stands below the answer.
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
  return { log: rows(before), rows: [...rows(drawn.slice(answer)), ...outcome] };
}

/** Index of the last text, with what belongs to it; the length if there is none. */
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

/** The prompt has its own place; the end is told by the footer and the status. */
function isDrawn(item: Item): boolean {
  return item.kind !== 'user_message';
}

function isOutcome(item: Item): boolean {
  return item.kind === 'artifact' || item.kind === 'turn_end';
}

/** What does not break a run of tool calls. */
function goesAlong(item: Item | undefined): boolean {
  return (
    (item?.kind === 'thought' && !item.open) ||
    (item?.kind === 'notice' && item.severity === 'info' && item.detail !== '')
  );
}

/** The todo list that counts; the ones before it are history. */
export function newestTodos(items: readonly Item[]): Item | undefined {
  return items.filter(item => isTool(item) && item.todos !== null).pop();
}

function isFinishedTool(item: Item): boolean {
  return (
    isTool(item) &&
    item.permission?.state !== 'pending' &&
    (item.status === 'completed' || item.status === 'failed' || item.status === 'cancelled')
  );
}

const NONE: readonly Item[] = [];

/** Items of a turn: those of the agent itself, and what was done for each of its calls. */
export interface Nested {
  readonly top: readonly Item[];
  /** By the id of a tool call that is in `top`: all that its subagents did, and theirs, in order. */
  readonly steps: ReadonlyMap<string, readonly Item[]>;
}

/** Id of the tool call that it was done for; empty for what the agent did itself. */
export function parentOf(item: Item): string {
  return 'parent_id' in item ? item.parent_id : '';
}

/**
 * Puts each item in one place: below the outermost call that it was done for, if that call is
 * there before it, else at the top.
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
