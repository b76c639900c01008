import { cancelFrame, inNextFrame } from '../parts/frame';
import type { MarkdownOptions } from './code_block';
import { MarkdownStream } from './stream';

/** A frame's work that costs more makes the next wait. */
const CHEAP_MILLISECONDS = 4;

/** No further step is begun in a frame after this: layout and paint need their share. */
const BUDGET_MILLISECONDS = 8;

/** The same where layout and paint take long: fewer frames, each still short of a long task. */
const MOST_MILLISECONDS = 25;

/** While somebody types, growing text is drawn so seldom: each time costs the whole view a paint. */
const TYPING_PAUSE = 120;

/** Draws growing Markdown frame by frame, so that no frame takes long. */
export class Writer {
  private readonly stream: MarkdownStream;
  private open = true;
  /** Not before this time: at most a fifth of the time goes into drawing. */
  private rest = 0;
  /** When the last frame's steps were done, if some were left. */
  private paused = Infinity;

  constructor(element: Element, options: MarkdownOptions, onFrozen?: (frozen: Element) => void) {
    this.stream = new MarkdownStream(element, options, onFrozen);
  }

  /** Length of the text taken so far. */
  get length(): number {
    return this.stream.source.length;
  }

  append(text: string): void {
    this.stream.append(text);
    inNextFrame(this.work);
  }

  /** Holds this whole text; keeps what it has of it. The first frame's worth shows at once. */
  become(whole: string, open: boolean): void {
    if (!whole.startsWith(this.stream.source)) {
      this.stream.reset();
    }
    this.stream.append(whole.slice(this.length));
    this.open = open;
    this.rest = 0;
    if (this.work()) {
      inNextFrame(this.work);
    }
  }

  dispose(): void {
    cancelFrame(this.work);
    this.stream.reset();
  }

  private readonly work = (): boolean => {
    const start = performance.now();
    if (start < this.rest) {
      return true;
    }
    const budget = this.budget(start);
    let more = this.step();
    while (more && performance.now() - start < budget) {
      more = this.step();
    }
    this.paused = more ? performance.now() : Infinity;
    const cost = performance.now() - start;
    // What has piled up is drawn as fast as frames come.
    this.rest = cost > CHEAP_MILLISECONDS && !more ? start + 5 * cost : 0;
    if (this.open && isTyping(start)) {
      this.rest = Math.max(this.rest, start + TYPING_PAUSE);
    }
    return more;
  };

  /** As long as the last frame took for all else. */
  private budget(start: number): number {
    const most = isTyping(start) ? BUDGET_MILLISECONDS : MOST_MILLISECONDS;
    return Math.min(most, Math.max(BUDGET_MILLISECONDS, start - this.paused));
  }

  private step(): boolean {
    if (this.open || this.stream.isBehind) {
      return this.stream.flush() || !this.open;
    }
    this.stream.finish();
    return false;
  }
}
/** So long after a key somebody is still typing. */
const TYPING_MILLISECONDS = 500;

let pressed = -Infinity;

addEventListener('keydown', () => (pressed = performance.now()), { capture: true, passive: true });

/** Whether somebody types, anywhere in the page: then their letters come first. */
export function isTyping(now: number): boolean {
  return now - pressed < TYPING_MILLISECONDS;
}
