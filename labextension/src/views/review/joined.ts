import type { ChangedFile } from '../../wire/types';
import type { Entry } from './entries';
import { joinedIds } from './kept';

/** Several of one file, in order. */
type Chain = readonly Entry[];

/**
 * Makes one change of what turns made of a file one after the other.
 *
 * Only where each found what the one before it had left: what anybody else did in
 * between would look like theirs. `entries` are in order; a joined one stands at its last.
 */
export function joinEntries(entries: readonly Entry[]): Entry[] {
  const places = new Map<string, Chain[]>();
  for (const entry of entries) {
    const chains = places.get(fileKeyOf(entry)) ?? [];
    const last = chains[chains.length - 1] ?? [];
    const start = startOf(entry, last);
    const parts = [last.slice(0, start), [...last.slice(start), entry]];
    const whole = parts.filter(part => part.length > 0);
    places.set(fileKeyOf(entry), [...chains.slice(0, -1), ...whole]);
  }
  const order = new Map(entries.map((entry, index) => [entry, index]));
  const end = (chain: Chain) => Math.max(...chain.map(entry => order.get(entry) ?? 0));
  const chains = [...places.values()].flat();
  return chains.sort((one, other) => end(one) - end(other)).flatMap(mergedEntries);
}

/** From where on a chain goes on with an entry; its length where none of it does. */
function startOf(entry: Entry, chain: Chain): number {
  const { file } = entry;
  const [first] = chain;
  const last = chain[chain.length - 1];
  if (first === undefined || last === undefined || !isHandedOn(last, entry)) {
    return chain.length;
  }
  if (file.together.length > 0) {
    // It was taken back with them: lines are counted from what these turns found.
    const start = chain.length - file.together.length;
    const ids = chain.slice(Math.max(0, start)).map(({ marked }) => marked);
    return joinedIds(ids) === joinedIds(file.together) ? start : chain.length;
  }
  const isAlone =
    file.reverted_hunks.length > 0 ||
    (file.reverted && !last.file.reverted) ||
    // Where nothing is left of it there is no change to show.
    first.file.old_text_id === file.new_text_id;
  return isAlone ? chain.length : 0;
}

function isHandedOn(last: Entry, next: Entry): boolean {
  return (
    last.file.new_text_id !== '' &&
    last.file.new_text_id === next.file.old_text_id &&
    last.file.reverted_hunks.length === 0 &&
    [last, next].every(({ revertible, file }) => revertible && file.kept && isInPlace(file))
  );
}

function mergedEntries(chain: Chain): Entry[] {
  const [first] = chain;
  const last = chain[chain.length - 1];
  if (first === undefined || last === undefined || chain.length === 1) {
    return [...chain];
  }
  const marked = joinedIds(chain.map(each => each.marked));
  const { old_text_id } = first.file;
  const change = changeOf(first.file, last.file);
  // How many lines it is shows its diff.
  const file = { ...last.file, change, old_text_id, added: null, removed: null };
  const turns = chain.flatMap(each => each.turns);
  return [{ ...last, key: `${marked} ${file.path}`, marked, turns, file }];
}

function changeOf(first: ChangedFile, last: ChangedFile): ChangedFile['change'] {
  if (last.change === 'deleted') {
    return 'deleted';
  }
  return first.change === 'added' ? 'added' : 'modified';
}

function isInPlace({ change }: ChangedFile): boolean {
  return change === 'added' || change === 'modified' || change === 'deleted';
}

function fileKeyOf({ file, source }: Entry): string {
  return `${source.store.view.session?.cwd ?? ''}/${file.path}`;
}
