import type { TrafficLine, TrafficPage } from '../../../wire/types';
import type { TrafficQuery } from '../../actions';

/** Which lines are shown. */
export type TrafficFilter = Pick<TrafficQuery, 'direction' | 'method' | 'text'>;

/** Most lines that are held; others are fetched again. */
export const MAX_LINES = 2000;

const PAGE_LINES = 200;

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
  failure = '';
  /** Whether the newest line is loaded. */
  atEnd = true;

  #end = 0;
  #disposed = false;

  constructor(
    private readonly load: (query: TrafficQuery) => Promise<TrafficPage>,
    private readonly filter: TrafficFilter,
    private readonly changed: () => void,
  ) {}

  dispose(): void {
    this.#disposed = true;
  }

  /** Loads the newest lines instead of all others. */
  async newest(): Promise<void> {
    await this.#step(async () => {
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
        this.#keep([...this.lines, ...page.lines], 'newest');
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
      this.#keep([...page.lines, ...this.lines], 'oldest');
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
    const page = await this.load({ ...this.filter, ...where, limit: PAGE_LINES });
    this.size = page.size;
    return page;
  }

  #tell(): void {
    if (!this.#disposed) {
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
      this.failure = '';
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    } finally {
      this.loading = false;
    }
    this.#tell();
  }
}
