import fuzzysort from 'fuzzysort';

import type { Mention } from '../../views/actions';

/** Names with a lower score only share letters with the query. */
const THRESHOLD = 0.2;

/** The texts by which a mention is found. */
export interface Searched {
  readonly mention: Mention;
  /** A variable's name, the last part of a path, or the first line of a cell. */
  readonly name: string;
  /** The whole path, or the number of a cell. */
  readonly whole: string;
}

/** The best of each group in turn if nothing was typed, else the best of all. */
export function best(
  groups: readonly (readonly Searched[])[],
  typed: string,
  limit: number,
): Mention[] {
  const found = typed === '' ? inTurn(groups, limit) : ranked(groups.flat(), typed, limit);
  return found.map(({ mention }) => mention);
}

function inTurn(groups: readonly (readonly Searched[])[], limit: number): Searched[] {
  const taken: Searched[] = [];
  const longest = Math.max(0, ...groups.map(group => group.length));
  for (let rank = 0; rank < longest && taken.length < limit; rank += 1) {
    taken.push(...groups.flatMap(group => group.slice(rank, rank + 1)));
  }
  return taken.slice(0, limit);
}

function ranked(all: readonly Searched[], typed: string, limit: number): Searched[] {
  const cells = all.filter(({ mention }) => mention.group === 'cells');
  const numbered = cells.filter(({ whole }) => isNumber(whole, typed.toLowerCase()));
  const found = fuzzysort.go(typed, all, {
    keys: [one => one.name, one => (one.mention.group === 'cells' ? '' : one.whole)],
    threshold: THRESHOLD,
    limit,
    // A match in the name counts more than one that needs the folders.
    scoreFn: ([name, whole]) => Math.max(name?.score ?? 0, 0.8 * (whole?.score ?? 0)),
  });
  // A cell's number is no name: cells that match only by number come last.
  return [...new Set([...found.map(({ obj }) => obj), ...numbered])].slice(0, limit);
}

/** Whether `cell5`, the start of that, or `5` was typed. */
function isNumber(number: string, typed: string): boolean {
  return typed === number || (typed.length > 1 && `cell${number}`.startsWith(typed));
}
