/** What mounting may take of a frame; the frame's layout and paint need the rest. */
const BUDGET_MILLISECONDS = 12;
const MOST_ITEMS = 60;
/** Before anything was mounted: a slow machine's. */
const FIRST_GUESS = 0.6;

/** How many items are mounted in one step: as many as have been seen to fit in a frame. */
export class Pace {
  private perItem = FIRST_GUESS;
  private begun: { readonly at: number; readonly items: number } | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get items(): number {
    return Math.max(1, Math.min(MOST_ITEMS, Math.floor(BUDGET_MILLISECONDS / this.perItem)));
  }

  /** So many items are about to be mounted. */
  begin(items: number): void {
    this.begun = items > 0 ? { at: this.now(), items } : null;
  }

  /** They are mounted and laid out. */
  end(): void {
    if (this.begun !== null) {
      const { at, items } = this.begun;
      this.begun = null;
      this.perItem = (this.perItem + (this.now() - at) / items) / 2;
    }
  }
}
