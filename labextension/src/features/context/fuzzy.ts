/**
 * How well a name fits what was typed; 0 if it does not.
 *
 * The letters must be in it in order; better are those in a row, at the begin
 * of a word, in the last part of a path, and in a short name.
 */
export function score(name: string, typed: string): number {
  if (typed === '') {
    return 1;
  }
  const where = name.toLowerCase();
  const what = typed.toLowerCase();
  const last = where.slice(where.lastIndexOf('/') + 1);
  const short = 1 / (1 + where.length);
  if (last === what || where === what) {
    return 6 + short;
  }
  if (last.startsWith(what)) {
    return 5 + short;
  }
  const at = where.indexOf(what);
  if (at >= 0) {
    return (isBegin(where, at) ? 4 : 3) + short;
  }
  return isSubsequence(what, last) ? 2 + short : isSubsequence(what, where) ? 1 + short : 0;
}

/** The best of each group in turn where nothing was typed, else the best of all. */
export function best<T>(
  groups: readonly (readonly T[])[],
  typed: string,
  nameOf: (one: T) => string,
  most: number,
): T[] {
  if (typed === '') {
    const taken: T[] = [];
    const longest = Math.max(0, ...groups.map(group => group.length));
    for (let rank = 0; rank < longest && taken.length < most; rank += 1) {
      taken.push(...groups.flatMap(group => group.slice(rank, rank + 1)));
    }
    return taken.slice(0, most);
  }
  return groups
    .flat()
    .map(one => ({ one, points: score(nameOf(one), typed) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, most)
    .map(({ one }) => one);
}

function isBegin(name: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(name[at - 1] ?? '');
}

function isSubsequence(what: string, where: string): boolean {
  let at = 0;
  for (const letter of where) {
    if (letter === what[at]) {
      at += 1;
    }
  }
  return at >= what.length;
}
