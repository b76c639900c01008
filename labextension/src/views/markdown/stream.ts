import { isVisible, lex, normaliseLines } from './blocks';
import type { MarkdownOptions } from './code_block';
import { draw, joinParts } from './long/draw';
import { OpenFence } from './fence';
import { fencesApart } from './glued_fences';
import { FinishedBlocks } from './long/finished_blocks';
import { patch } from './patch';
import { NO_CARRY, splitBlocks } from './long/split_blocks';
import type { Carry } from './long/split_blocks';
import { BlockCorrector } from './long/correct_blocks';
import { unwatch } from './long/visibility';
import { blockOf } from './long/block_group';
import type { Block } from './long/block_group';

/**
 * Most characters parsed in one step, so that a frame can end after each; more for a long backlog.
 */
const STEP = 2_048;

const LONG_STEP = 8_192;

/**
 * Growing Markdown in one element.
 *
 * Only the end is parsed again. A block is finished when the next one has started, and is plain
 * text while it is out of sight. A review at the end corrects blocks that depend on the whole text
 * (links defined later), and changes only those that differ.
 */
export class MarkdownStream {
  /** All text so far. */
  source = '';
  private pending = '';
  /** The source from the last block on, which may change, and its offset. */
  private tail = '';
  private tailAt = 0;
  private carry: Carry = NO_CARRY;
  /** Blocks finished since the last frame. */
  private fresh: Block[] = [];
  /** Unfinished blocks: the last one, and all drawn blocks of the tail. */
  private open: Block[] = [];
  private live: Block[] = [];
  private fence: OpenFence | null = null;
  private changed = false;
  private review: BlockCorrector | null = null;
  private readonly finished: FinishedBlocks;

  /** `onFrozen` is called with each complete element, `onGone` when one is text again. */
  constructor(
    private readonly host: Element,
    private readonly options: MarkdownOptions,
    onFrozen: (element: Element) => void = () => undefined,
    onGone: (element: Element) => void = () => undefined,
  ) {
    this.finished = new FinishedBlocks(host, options, onFrozen, onGone);
  }

  /** Appends text; the next `flush` shows it. */
  append(text: string): void {
    if (text !== '') {
      this.source += text;
      this.pending += text;
      this.review = null;
    }
  }

  /** Shows at most one step of the appended text; returns whether more is left. */
  flush(): boolean {
    const more = this.step();
    this.settle();
    return more;
  }

  /** Parses a step; `settle` shows the result of all steps. */
  step(): boolean {
    let piece = this.pending.slice(0, this.pending.length > LONG_STEP ? LONG_STEP : STEP);
    // A line end may be split in two.
    if (piece.endsWith('\r')) {
      piece = piece.slice(0, -1);
    }
    if (piece === '') {
      return false;
    }
    this.pending = this.pending.slice(piece.length);
    this.take(normaliseLines(piece));
    return this.pending.length > 1;
  }

  /** Whether more than one step of text is still to be shown. */
  get isBehind(): boolean {
    return this.pending.length > STEP;
  }

  /** Shows the complete text, and reviews it. */
  finish(): void {
    while (this.finishStep()) {
      // All in one step.
    }
  }

  /** Does a part of that; returns whether more is left. */
  finishStep(): boolean {
    if (this.review === null) {
      while (this.step()) {
        // Until less than a step is left.
      }
      this.take(normaliseLines(this.pending));
      this.pending = '';
      this.finishFence();
      this.settle();
      this.live.forEach(block => this.finished.add(block, null));
      this.finished.watchEnd(null);
      this.live = [];
      this.open = [];
      this.tailAt += this.tail.length;
      this.tail = '';
      this.carry = NO_CARRY;
      this.review = new BlockCorrector(fencesApart(normaliseLines(this.source)), this.finished);
    }
    return this.review.step();
  }

  /** Starts over with nothing. */
  reset(): void {
    this.live.forEach(block => this.finished.drop(block));
    this.finished.clear();
    this.fresh = [];
    this.live = [];
    this.open = [];
    this.source = '';
    this.pending = '';
    this.tail = '';
    this.tailAt = 0;
    this.carry = NO_CARRY;
    this.fence = null;
    this.review = null;
    this.changed = false;
  }

  dispose(): void {
    this.reset();
    this.finished.dispose();
  }

  private take(text: string): void {
    if (text === '') {
      return;
    }
    this.changed = true;
    let rest = text;
    if (this.fence !== null) {
      const after = this.fence.append(rest);
      if (after === null) {
        return;
      }
      // The block is complete; its element stays and is corrected.
      this.tail = this.fence.raw;
      this.fence = null;
      rest = after;
    }
    // A line without an end may still change.
    const lines = this.tail + rest;
    const ended = lines.lastIndexOf('\n') + 1;
    this.tail = fencesApart(lines.slice(0, ended)) + lines.slice(ended);
    this.parse();
  }

  private parse(): void {
    const pieces = splitBlocks(this.tail, this.carry, {});
    if (pieces === null) {
      // The lexer has changed the text, so its offsets can't be used.
      const tokens = lex(this.tail).filter(isVisible);
      this.open = tokens.map(token => blockOf({ ...WHOLE, token, raw: token.raw }, this.tailAt));
      return;
    }
    const last = pieces[pieces.length - 1];
    if (last === undefined) {
      return;
    }
    this.fresh.push(...pieces.slice(0, -1).map(piece => blockOf(piece, this.tailAt)));
    this.open = [blockOf(last, this.tailAt)];
    this.tail = this.tail.slice(last.start);
    this.tailAt += last.start;
    ({ carry: this.carry } = last);
    if (last.token.type === 'code' && last.raw === this.tail) {
      this.fence = OpenFence.open(this.tail, this.options);
    }
  }

  /** A fence that is never closed ends with the text. */
  private finishFence(): void {
    if (this.fence !== null) {
      this.tail = this.fence.raw;
      this.fence = null;
      const pieces = splitBlocks(this.tail, this.carry, {});
      this.open = (pieces ?? []).map(piece => blockOf(piece, this.tailAt));
      this.changed = true;
    }
  }

  /** Shows the result of the steps; of finished blocks only those in sight. */
  settle(): void {
    if (!this.changed) {
      return;
    }
    this.changed = false;
    const all = [...this.fresh, ...this.open];
    const { length: finished } = this.fresh;
    this.fresh = [];
    const isDrawn = this.finished.drawnFirst(all, finished);
    const fence = this.fence === null ? null : all.length - 1;
    const texts = new Map<number, string>();
    all.forEach((block, index) => {
      const shown = this.live[index];
      if (isDrawn(index) && index !== fence) {
        const html = this.finished.html(block);
        if (shown?.html !== html) {
          texts.set(index, html);
        }
      }
    });
    const drawn = texts.size === 0 ? [] : draw([...texts.values()], this.options);
    const elements = new Map([...texts.keys()].map((index, nth) => [index, drawn[nth]]));
    all.forEach((block, index) => {
      const shown = this.live[index];
      const made = index === fence ? this.fence?.box : elements.get(index);
      if (!isDrawn(index)) {
        if (shown !== undefined) {
          this.finished.drop(shown);
        }
      } else {
        this.show(block, shown, made);
        if (block.element !== null) {
          joinParts(block.element, block.carry, block.hasNext);
        }
      }
      if (block.element !== null && block.element.parentNode !== this.host) {
        this.host.append(block.element);
      }
      if (index < finished) {
        const next = this.live.find((each, nth) => nth > index && each.element !== null);
        this.finished.add(block, next?.element ?? null);
      }
    });
    this.live.slice(all.length).forEach(block => this.finished.drop(block));
    this.live = all.slice(finished);
    this.finished.watchEnd(this.live[this.live.length - 1]?.element ?? null);
  }

  /** Gives a block its element: the shown one, patched, or the new one. */
  private show(block: Block, shown: Block | undefined, made: Element | undefined): void {
    const before = shown?.element ?? null;
    if (made === undefined || made === before) {
      block.element = before;
    } else if (before !== null && this.fence?.box !== made && before.tagName === made.tagName) {
      patch(before, made);
      block.element = before;
    } else {
      if (before !== null) {
        before.replaceWith(made);
        unwatch(before);
      }
      block.element = made;
    }
  }
}

const WHOLE = { start: 0, end: 0, carry: NO_CARRY, hasNext: false };
