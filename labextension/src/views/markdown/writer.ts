import { cancelFrame, inNextFrameOrHidden } from '../parts/frame';
import type { MarkdownOptions } from './code_block';
import { MarkdownStream } from './stream';

/** After a frame with more work than this the next is delayed. */
const CHEAP_MILLISECONDS = 4;

/** Time after which no further step starts in a frame: layout and paint need the rest. */
const BUDGET_MILLISECONDS = 8;

/** The same if layout and paint take long; still shorter than a long task. */
const MAX_MILLISECONDS = 25;

/** Pause between draws while the user types, since each draw costs a paint of the whole view. */
const TYPING_PAUSE = 120;

/** Draws growing Markdown frame by frame, so that no frame takes too long. */
export class Writer {
  private readonly stream: MarkdownStream;
  private open = true;
  /** Time of the next draw: drawing takes at most a fifth of the time. */
  private rest = 0;
  /** When the last frame's work ended, if some was left. */
  private paused = Infinity;

  constructor(
    element: Element,
    options: MarkdownOptions,
    onFrozen?: (frozen: Element) => void,
    onGone?: (gone: Element) => void,
  ) {
    this.stream = new MarkdownStream(element, options, onFrozen, onGone);
  }

  /** Length of the text so far. */
  get length(): number {
    return this.stream.source.length;
  }

  append(text: string): void {
    this.stream.append(text);
    inNextFrameOrHidden(this.work);
  }

  /** Sets the whole text, and keeps its drawn part; a first part shows at once. */
  become(whole: string, open: boolean): void {
    if (!whole.startsWith(this.stream.source)) {
      this.stream.reset();
    }
    this.stream.append(whole.slice(this.length));
    this.open = open;
    this.rest = 0;
    if (this.work()) {
      inNextFrameOrHidden(this.work);
    }
  }

  dispose(): void {
    cancelFrame(this.work);
    this.stream.dispose();
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
    this.stream.settle();
    this.paused = more ? performance.now() : Infinity;
    const cost = performance.now() - start;
    // A backlog is drawn in every frame.
    this.rest = cost > CHEAP_MILLISECONDS && !more ? start + 5 * cost : 0;
    if (this.open && isTyping(start)) {
      this.rest = Math.max(this.rest, start + TYPING_PAUSE);
    }
    return more;
  };

  /** As much time as the last frame needed in addition. */
  private budget(start: number): number {
    const most = isTyping(start) ? BUDGET_MILLISECONDS : MAX_MILLISECONDS;
    return Math.min(most, Math.max(BUDGET_MILLISECONDS, start - this.paused));
  }

  private step(): boolean {
    if (this.open || this.stream.isBehind) {
      return this.stream.step() || !this.open;
    }
    return this.stream.finishStep();
  }
}
/** How long after a key the user counts as typing. */
const TYPING_MILLISECONDS = 500;

let pressed = -Infinity;

addEventListener('keydown', () => (pressed = performance.now()), { capture: true, passive: true });

/** Whether the user is typing anywhere in the page. */
export function isTyping(now: number): boolean {
  return now - pressed < TYPING_MILLISECONDS;
}
