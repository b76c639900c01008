import type { Item } from '../../wire/types';

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
