import { linksOf } from '../blocks';
import type { Finished } from './finished';
import { NOTHING, piecesOf, tokensOf } from './pieces';
import type { Carry } from './pieces';
import { plainText } from './plain_text';
import { blockOf } from './stretch';
import type { Block, Stretch } from './stretch';

/** Length of source that is parsed in a step; more if one block is longer. */
const WINDOW = 16_384;

/**
 * Distance from the end of a step within which nothing is certain, since a formula may begin there.
 */
const UNCERTAIN = 4_200;

/** Length of source that is searched for definitions at once. */
const SEARCHED = 65_536;

const DEFINES = /^[ >\-*+\d.)]*\[[^\]\n]+\]:/m;

/**
 * Compares the shown blocks with the whole text, step by step.
 *
 * Corrects blocks that depend on later text: links defined below, a line that was split when it was
 * parsed. A block that is the same stays.
 */
export class Review {
  private at = 0;
  private size = WINDOW;
  private carry: Carry = NOTHING;
  /** Position of the next shown block. */
  private nth = 0;
  private index = 0;
  private searched: number;

  constructor(
    private readonly source: string,
    private readonly finished: Finished,
  ) {
    this.searched = DEFINES.test(source) ? 0 : source.length;
  }

  /** Returns whether more is left. */
  step(): boolean {
    if (this.searched < this.source.length) {
      this.search();
      return true;
    }
    if (this.at >= this.source.length) {
      return false;
    }
    const text = this.source.slice(this.at, this.at + this.size);
    const isWhole = this.at + this.size >= this.source.length;
    const pieces = piecesOf(text, this.carry, this.finished.links);
    if (pieces === null) {
      // Another window may fit; text that can't be cut at all is not changed.
      this.at = isWhole ? this.source.length : this.at;
      this.size *= 2;
      return !isWhole;
    }
    let count = pieces.length;
    if (!isWhole) {
      while (count > 0 && !isCertain(pieces[count - 1]?.end, count < pieces.length, text)) {
        count -= 1;
      }
      if (count === 0) {
        this.size *= 2;
        return true;
      }
    }
    pieces.slice(0, count).forEach(piece => this.compare(blockOf(piece, this.at)));
    const next = pieces[count];
    this.at += next === undefined ? text.length : next.start;
    this.carry = next?.carry ?? NOTHING;
    this.size = WINDOW;
    if (this.at >= this.source.length) {
      this.endHere();
      return false;
    }
    return true;
  }

  private search(): void {
    const end = this.searched + SEARCHED;
    const cut = end < this.source.length ? this.source.lastIndexOf('\n\n', end) + 1 : 0;
    const until = cut > this.searched ? cut : end;
    // The first definition of a link wins.
    const found = linksOf(this.source.slice(this.searched, until));
    this.finished.links = { ...found, ...this.finished.links };
    this.searched = until;
  }

  private compare(target: Block): void {
    this.removeBefore(target.start);
    const shown = this.shown();
    if (shown !== null && isSame(shown.block, target)) {
      this.correct(shown.stretch, shown.block);
      this.index += 1;
      return;
    }
    target.text = target.token === null ? '' : plainText(target.token);
    this.insert(target);
    this.removeBefore(target.start + target.raw.length);
  }

  /** An equal block may have links that were not known. */
  private correct(stretch: Stretch, block: Block): void {
    if (!block.raw.includes('[') || Object.keys(this.finished.links).length === 0) {
      return;
    }
    const { html } = block;
    block.html = null;
    const tokens = tokensOf(block, this.finished.links);
    block.text = tokens.map(plainText).join('\n\n');
    if (stretch.stand !== null) {
      stretch.rewrite(this.finished.guess);
    } else if (this.finished.html(block) !== html) {
      this.finished.redraw(stretch, block, null);
    }
  }

  private insert(target: Block): void {
    const stretch = this.shown()?.stretch ?? this.finished.stretches[this.nth - 1];
    if (stretch === undefined || (this.shown() === null && stretch.stand !== null)) {
      this.finished.append(target);
      this.nth = this.finished.stretches.length;
      this.index = 0;
      return;
    }
    const place = this.shown() === null ? stretch.blocks.length : this.index;
    stretch.blocks.splice(place, 0, target);
    this.index = this.shown() === null ? this.index : this.index + 1;
    this.show(stretch, target);
  }

  private show(stretch: Stretch, block: Block): void {
    if (stretch.stand !== null) {
      stretch.rewrite(this.finished.guess);
    } else {
      const next = this.shown();
      this.finished.redraw(stretch, block, next?.block.element ?? next?.stretch.stand ?? null);
    }
  }

  /** The next shown block; an empty stretch has none. */
  private shown(): { readonly stretch: Stretch; readonly block: Block } | null {
    for (;;) {
      const stretch = this.finished.stretches[this.nth];
      const block = stretch?.blocks[this.index];
      if (stretch === undefined) {
        return null;
      }
      if (block !== undefined) {
        return { stretch, block };
      }
      this.nth += 1;
      this.index = 0;
    }
  }

  private removeBefore(start: number): void {
    for (let next = this.shown(); next !== null && next.block.start < start; next = this.shown()) {
      this.remove(next.stretch, next.block);
    }
  }

  private remove(stretch: Stretch, block: Block): void {
    stretch.blocks.splice(this.index, 1);
    this.finished.drop(block);
    if (stretch.stand !== null) {
      stretch.rewrite(this.finished.guess);
    }
  }

  private endHere(): void {
    this.removeBefore(Infinity);
  }
}

function isCertain(end: number | undefined, isFollowed: boolean, text: string): boolean {
  return end !== undefined && isFollowed && end <= text.length - UNCERTAIN;
}

function isSame(shown: Block, target: Block): boolean {
  return (
    shown.start === target.start &&
    shown.raw === target.raw &&
    shown.goesOn === target.goesOn &&
    shown.carry.number === target.carry.number &&
    shown.carry.prefix === target.carry.prefix
  );
}
