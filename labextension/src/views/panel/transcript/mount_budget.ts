/** Time for mounting in a frame; layout and paint need the rest. */
const BUDGET_MILLISECONDS = 12;

const MAX_ITEMS = 60;

/** First estimate of milliseconds per item, that of a slow machine. */
const FIRST_GUESS = 0.6;

/** Measures how many items can be mounted within a frame. */
export class MountBudget {
  private perItem = FIRST_GUESS;
  private begun: { readonly at: number; readonly items: number } | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get items(): number {
    return Math.max(1, Math.min(MAX_ITEMS, Math.floor(BUDGET_MILLISECONDS / this.perItem)));
  }

  /** Called before items are mounted. */
  begin(items: number): void {
    this.begun = items > 0 ? { at: this.now(), items } : null;
  }

  /** Called after they were mounted and laid out. */
  end(): void {
    if (this.begun !== null) {
      const { at, items } = this.begun;
      this.begun = null;
      this.perItem = (this.perItem + (this.now() - at) / items) / 2;
    }
  }
}

/** Pages far from the reading position are fetched once scrolling has stopped for this time. */
export const SCROLL_IDLE_MILLISECONDS = 80;

/** Knows whether scrolling has stopped. */
export class ScrollIdle {
  private top = -1;
  private since = 0;

  /** Whether it has been at this position for long enough. */
  isAt(top: number): boolean {
    if (this.top !== top) {
      this.top = top;
      this.since = performance.now();
    }
    // Timers and clocks are not exact.
    return performance.now() - this.since >= SCROLL_IDLE_MILLISECONDS - 5;
  }
}
