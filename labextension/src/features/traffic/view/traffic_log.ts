import type { GetTraffic, TrafficLine, TrafficPage } from '../../../wire/types';
import { messageOf } from '../../../views/parts/buttons';

/** Which lines are shown. */
/** The requested lines of a session's traffic log. */
export type TrafficQuery = Partial<Omit<GetTraffic, 'name' | 'session_id'>>;

export type TrafficFilter = Pick<TrafficQuery, 'direction' | 'method' | 'text'>;

/** Most lines in memory; others are fetched again. */
export const MAX_LINES = 2000;

const PAGE_LINES = 200;

/** How long the server waits for new lines before it answers that there are none. */
const WAIT_SECONDS = 20;

/** Pause after new lines, so that further lines join them. */
const GATHER_MILLISECONDS = 250;

/** A line of the list: one of the log, chunks gathered into one, or one of these chunks. */
export interface TrafficRow {
  readonly key: string;
  readonly line: TrafficLine;
  /** Key of the line that chunks were gathered into; empty for a line itself. */
  readonly parent: string;
  /** Whether gathered chunks are shown one by one; `null` for any other line. */
  readonly open: boolean | null;
  /** In place of chunks that are not loaded: how many. */
  readonly rest: number;
}

/** Longest preview, as the server gives it. */
const PREVIEW_CHARS = 240;

/** Most pages that one step fetches while the filter matches too little. */
const MAX_STEPS = 4;

/**
 * A loaded part of a session's traffic log: the newest lines at first, older and
 * newer ones on request. One request is under way at a time.
 */
export class TrafficLog {
  lines: readonly TrafficLine[] = [];
  /** Offset of the first loaded line, and size of the log, in bytes. */
  start = 0;
  size = 0;
  loading = false;
  /** Whether anything has been looked at. */
  loaded = false;
  failure = '';
  /** Whether the newest line is loaded. */
  atEnd = true;

  /** The rows of the list: the lines, with the chunks of opened ones. */
  rows: readonly TrafficRow[] = [];

  /** Chunks of gathered lines that are open, by the offset of the line. */
  readonly #chunks = new Map<number, readonly TrafficLine[]>();
  #end = 0;
  #disposed = false;
  #live = false;
  #waiting = false;

  constructor(
    private readonly load: (query: TrafficQuery) => Promise<TrafficPage>,
    private readonly filter: TrafficFilter,
    private readonly changed: () => void,
  ) {}

  dispose(): void {
    this.#disposed = true;
  }

  /** Starts or stops following new lines; meanwhile one request waits at the server. */
  set live(live: boolean) {
    this.#live = live;
    void this.#follow();
  }

  /** Shows the chunks of a line one by one, or more of them. */
  async open(line: TrafficLine): Promise<void> {
    await this.#step(async () => {
      const known = this.#chunks.get(line.place) ?? [];
      const last = known[known.length - 1];
      const after = last === undefined ? line.place : last.place + last.size;
      const page = await this.load({ after, limit: PAGE_LINES });
      const own = page.lines.filter(each => each.place < line.place + line.size);
      this.#chunks.set(line.place, [...known, ...own]);
    });
  }

  close(line: TrafficLine): void {
    this.#chunks.delete(line.place);
    this.#tell();
  }

  /** Loads the newest lines instead of all others. */
  async newest(): Promise<void> {
    await this.#step(async () => {
      this.#chunks.clear();
      const page = await this.#ask({});
      this.lines = page.lines;
      this.start = page.start;
      this.#end = page.end;
      this.atEnd = true;
      await this.#loadBack();
    });
  }

  /** Loads lines before the loaded ones. */
  async older(): Promise<void> {
    if (this.start > 0) {
      await this.#step(() => this.#loadBack(this.lines.length + 1));
    }
  }

  /** Loads lines after the loaded ones. */
  async newer(): Promise<void> {
    await this.#step(async () => {
      for (let step = 0; step < MAX_STEPS; step++) {
        const page = await this.#ask({ after: this.#end });
        this.#end = Math.max(this.#end, page.end);
        this.#keep(joined(this.lines, page.lines), 'newest');
        this.atEnd = page.end >= page.size;
        if (this.atEnd) {
          return;
        }
      }
    });
  }

  /** Loads older lines until at least so many are loaded, within one step. */
  async #loadBack(least = PAGE_LINES / 4): Promise<void> {
    for (let step = 0; step < MAX_STEPS; step++) {
      if (this.start === 0 || this.lines.length >= least) {
        return;
      }
      const page = await this.#ask({ before: this.start });
      this.start = page.start;
      this.#keep(joined(page.lines, this.lines), 'oldest');
    }
  }

  #keep(lines: readonly TrafficLine[], which: 'newest' | 'oldest'): void {
    if (lines.length <= MAX_LINES) {
      this.lines = lines;
      return;
    }
    this.lines = which === 'newest' ? lines.slice(-MAX_LINES) : lines.slice(0, MAX_LINES);
    const [first, last] = [this.lines[0], this.lines[this.lines.length - 1]];
    if (which === 'newest' && first !== undefined) {
      this.start = first.place;
    } else if (last !== undefined) {
      this.#end = last.place + last.size;
      this.atEnd = false;
    }
  }

  async #ask(where: Pick<TrafficQuery, 'after' | 'before'>): Promise<TrafficPage> {
    const page = await this.load({ ...this.filter, ...where, limit: PAGE_LINES, gather: true });
    this.size = page.size;
    return page;
  }

  async #follow(): Promise<void> {
    if (this.#waiting || !this.#follows()) {
      return;
    }
    this.#waiting = true;
    const after = this.#end;
    try {
      const query = { after, limit: PAGE_LINES, gather: true, wait_seconds: WAIT_SECONDS };
      const page = await this.load({ ...this.filter, ...query });
      // Otherwise another request has loaded them.
      if (this.#end === after && this.atEnd && this.#live && page.end > after) {
        this.size = page.size;
        this.#end = page.end;
        this.#keep(joined(this.lines, page.lines), 'newest');
        this.#tell();
        await new Promise(done => setTimeout(done, GATHER_MILLISECONDS));
      }
    } catch (error) {
      this.failure = messageOf(error);
      this.#tell();
    } finally {
      this.#waiting = false;
    }
    void this.#follow();
  }

  #follows(): boolean {
    return this.#live && !this.#disposed && !this.loading && this.atEnd && this.failure === '';
  }

  #tell(): void {
    if (!this.#disposed) {
      this.rows = rowsOf(this.lines, this.#chunks);
      this.changed();
    }
  }

  async #step(act: () => Promise<void>): Promise<void> {
    if (this.loading || this.#disposed) {
      return;
    }
    this.loading = true;
    try {
      await act();
      this.loaded = true;
      this.failure = '';
    } catch (error) {
      this.failure = messageOf(error);
    } finally {
      this.loading = false;
    }
    this.#tell();
    void this.#follow();
  }
}

/** Lines and the lines after them; chunks on both sides of the seam are gathered, too. */
function joined(before: readonly TrafficLine[], after: readonly TrafficLine[]): TrafficLine[] {
  const last = before[before.length - 1];
  const [first, ...rest] = after;
  if (
    last === undefined ||
    first === undefined ||
    last.stream === '' ||
    last.stream !== first.stream ||
    last.place + last.size !== first.place
  ) {
    return [...before, ...after];
  }
  const whole = {
    ...last,
    count: last.count + first.count,
    size: last.size + first.size,
    preview: (last.preview + first.preview).slice(0, PREVIEW_CHARS),
  };
  return [...before.slice(0, -1), whole, ...rest];
}

function rowsOf(
  lines: readonly TrafficLine[],
  chunks: ReadonlyMap<number, readonly TrafficLine[]>,
): TrafficRow[] {
  return lines.flatMap((line): TrafficRow[] => {
    const own = line.count > 1 ? chunks.get(line.place) : undefined;
    const open = line.count > 1 ? own !== undefined : null;
    const row: TrafficRow = { key: `${line.place}`, line, parent: '', open, rest: 0 };
    if (own === undefined) {
      return [row];
    }
    const each = { line, parent: row.key, open: null, rest: 0 };
    const rest = line.count - own.length;
    return [
      row,
      ...own.map(one => ({ ...each, key: `${line.place}-${one.place}`, line: one })),
      ...(rest > 0 ? [{ ...each, key: `${line.place}-rest`, rest }] : []),
    ];
  });
}
