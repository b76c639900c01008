import type { Item, ToolCall } from '../../wire/types';
import type { Translate } from '../i18n';
import { hasFailed } from '../items/tool_state';
import { between, duration, plural } from '../parts/format';
import { isTool } from './rows';

/** A changed file of a turn, as its tool calls reported it. */
export interface Change {
  readonly path: string;
  readonly isNew: boolean;
  readonly added: number | null;
  readonly removed: number | null;
  /** The tool calls that changed it, in order. */
  readonly tools: readonly ToolCall[];
}

/** `Read 2 files, 1 search`, or `7 steps · 1 file changed`; failed ones are counted. */
export function groupLabel(items: readonly Item[], t: Translate): string {
  const tools = items.filter(isTool);
  const reads = tools.filter(tool => tool.ui_kind === 'read').length;
  const searches = tools.filter(tool => tool.ui_kind === 'search').length;
  const failed = tools.filter(hasFailed).length;
  const parts: string[] = [];
  if (reads + searches === tools.length) {
    const words = [
      reads > 0 ? plural(t, reads, 'Read 1 file', 'Read %1 files') : '',
      searches > 0 ? plural(t, searches, '1 search', '%1 searches') : '',
    ];
    parts.push(words.filter(word => word !== '').join(', '));
  } else {
    parts.push(plural(t, tools.length, '1 step', '%1 steps'), changedWords(items, t));
  }
  parts.push(failed > 0 ? t('%1 failed', failed) : '');
  return parts.filter(part => part !== '').join(' · ');
}

/** `12 steps · 3 files changed · 1m 04s`. */
export function logLabel(items: readonly Item[], seconds: number | null, t: Translate): string {
  const tools = items.filter(isTool);
  const failed = tools.filter(hasFailed).length;
  return [
    plural(t, tools.length, '1 step', '%1 steps'),
    changedWords(items, t),
    failed > 0 ? t('%1 failed', failed) : '',
    duration(seconds),
  ]
    .filter(part => part !== '')
    .join(' · ');
}

function changedWords(items: readonly Item[], t: Translate): string {
  const files = changesOf(items).length;
  return files === 0 ? '' : plural(t, files, '1 file changed', '%1 files changed');
}

/** From the first start to the last end. */
export function groupSeconds(items: readonly Item[]): number | null {
  const tools = items.filter(isTool);
  const starts = tools.flatMap(tool => (tool.started_at === null ? [] : [tool.started_at]));
  const ends = tools.flatMap(tool => (tool.ended_at === null ? [] : [tool.ended_at]));
  return starts.length === 0 || ends.length === 0
    ? null
    : between(Math.min(...starts), Math.max(...ends));
}

/** The files that the completed tool calls of a turn changed. */
export function changesOf(items: readonly Item[]): Change[] {
  const byPath = new Map<string, Change>();
  for (const tool of items.filter(isTool)) {
    if (tool.status !== 'completed') {
      continue;
    }
    for (const diff of tool.diffs) {
      const known = byPath.get(diff.path);
      byPath.set(diff.path, {
        path: diff.path,
        isNew: (known?.isNew ?? false) || (diff.is_new_file && tool.is_new_file !== false),
        added: sum(known === undefined ? 0 : known.added, diff.added),
        removed: sum(known === undefined ? 0 : known.removed, diff.removed),
        tools: known?.tools.includes(tool) === true ? known.tools : [...(known?.tools ?? []), tool],
      });
    }
  }
  return [...byPath.values()];
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** Lines of all of them; `null` where some were not counted. */
export function total(
  changes: readonly Pick<Change, 'added' | 'removed'>[],
  side: 'added' | 'removed',
): number | null {
  return changes.reduce<number | null>((lines, change) => sum(lines, change[side]), 0);
}
