/** A line of a file that a search has found. */
export interface Hit {
  readonly line: number;
  readonly text: string;
}

/** What a search found in one file; a file without hits is itself the result. */
export interface Found {
  readonly path: string;
  readonly hits: readonly Hit[];
}

/** Longest text shown of a hit. */
const MAX_TEXT = 400;
const HIT = /^(.+?):(\d{1,9}):(.*)$/;

/** Results by file: plain paths, or `path:line:text` as searches of contents give them. */
export function groupByFile(lines: readonly string[]): Found[] {
  const found: { path: string; hits: Hit[] }[] = [];
  for (const line of lines) {
    const [, path, number, text] = HIT.exec(line.slice(0, MAX_TEXT)) ?? [];
    if (path === undefined || number === undefined || text === undefined) {
      found.push({ path: line, hits: [] });
      continue;
    }
    const hit = { line: Number(number), text };
    const last = found[found.length - 1];
    if (last?.path === path) {
      last.hits.push(hit);
    } else {
      found.push({ path, hits: [hit] });
    }
  }
  // Beside hits, what is no hit is a separator or a remark.
  return found.some(isHit) ? found.filter(isHit) : found;
}

function isHit({ hits }: Found): boolean {
  return hits.length > 0;
}
