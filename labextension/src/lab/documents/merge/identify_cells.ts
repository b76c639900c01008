import { diffArrays } from 'diff';

import type { CellJson, KnownCell } from './notebook_json';

const VALID_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Gives each cell an id: that of the matching known cell, or its own.
 *
 * Old notebooks have no ids, and some agents lose them. Then cells are matched by their source, or
 * by their position between known cells.
 */
export function identify(
  before: readonly Pick<KnownCell, 'id' | 'type' | 'source'>[],
  cells: readonly CellJson[],
  makeId: () => string,
): CellJson[] {
  const indexes = new Map(before.map(({ id }, index) => [id, index]));
  /** Index of the known cell, by the index of the cell that it matches. */
  const partners = new Map<number, number>();
  const taken = new Set<number>();
  const pair = (index: number, knownIndex: number) => {
    partners.set(index, knownIndex);
    taken.add(knownIndex);
  };
  const times = new Map<string, number>();
  cells.forEach(({ id }) => times.set(id, (times.get(id) ?? 0) + 1));
  cells.forEach(({ id }, index) => {
    const knownIndex = indexes.get(id);
    // Copies with the same id are matched by their source.
    if (knownIndex !== undefined && times.get(id) === 1) {
      pair(index, knownIndex);
    }
  });
  const lone = cells.map((_, index) => index).filter(index => !partners.has(index));
  const free = before
    .map((_, knownIndex) => knownIndex)
    .filter(knownIndex => !taken.has(knownIndex));
  const changes = diffArrays(
    free.map(knownIndex => textOf(before[knownIndex]?.type, before[knownIndex]?.source)),
    lone.map(index => textOf(cells[index]?.cell_type, cells[index]?.source)),
    { timeout: 200, maxEditLength: 2_000 },
  );
  let [from, to] = [0, 0];
  for (const { added, removed, value } of changes ?? []) {
    if (!added && !removed) {
      value.forEach((_, step) => pair(lone[to + step] ?? -1, free[from + step] ?? -1));
    }
    from += added ? 0 : value.length;
    to += removed ? 0 : value.length;
  }
  pairByNeighbours(before, cells, partners, taken);
  const used = new Set(before.map(({ id }) => id));
  return cells.map((cell, index) => {
    const knownIndex = partners.get(index);
    const known = knownIndex === undefined ? undefined : before[knownIndex];
    let { id } = known ?? cell;
    if (known === undefined && (!VALID_ID.test(id) || used.has(id))) {
      id = makeId();
    }
    used.add(id);
    return { ...cell, id };
  });
}

/** Matches cells without an id to the known cells between the same neighbours. */
function pairByNeighbours(
  before: readonly Pick<KnownCell, 'type'>[],
  cells: readonly CellJson[],
  partners: Map<number, number>,
  taken: Set<number>,
): void {
  let knownIndex = -1;
  let start = 0;
  for (let index = 0; index <= cells.length; index += 1) {
    const next = index === cells.length ? before.length : partners.get(index);
    if (next === undefined) {
      continue;
    }
    const gap = next - knownIndex - 1;
    const lone = cells.slice(start, index);
    if (gap === lone.length && lone.every(({ id }) => id === '')) {
      lone.forEach(({ cell_type: type }, step) => {
        const at = knownIndex + 1 + step;
        if (!taken.has(at) && before[at]?.type === type) {
          partners.set(start + step, at);
          taken.add(at);
        }
      });
    }
    knownIndex = next;
    start = index + 1;
  }
}

function textOf(type: string | undefined, source: string | undefined): string {
  return `${type}\n${source}`;
}
