import { linksOf } from '../blocks';
import type { FinishedBlocks } from './finished_blocks';
import { NO_CARRY, splitBlocks, tokensOf } from './split_blocks';
import type { Carry } from './split_blocks';
import { plainText } from './plain_text';
import { blockOf } from './block_group';
import type { Block, BlockGroup } from './block_group';

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
export class BlockCorrector {
  private at = 0;
  private size = WINDOW;
  private carry: Carry = NO_CARRY;
  /** Position of the next shown block. */
  private groupIndex = 0;
  private index = 0;
  private searched: number;

  constructor(
    private readonly source: string,
    private readonly finished: FinishedBlocks,
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
    const parts = splitBlocks(text, this.carry, this.finished.links);
    if (parts === null) {
      // Another window may fit; text that can't be cut at all is not changed.
      this.at = isWhole ? this.source.length : this.at;
      this.size *= 2;
      return !isWhole;
    }
    let count = parts.length;
    if (!isWhole) {
      while (count > 0 && !isCertain(parts[count - 1]?.end, count < parts.length, text)) {
        count -= 1;
      }
      if (count === 0) {
        this.size *= 2;
        return true;
      }
    }
    parts.slice(0, count).forEach(part => this.compare(blockOf(part, this.at)));
    const next = parts[count];
    this.at += next === undefined ? text.length : next.start;
    this.carry = next?.carry ?? NO_CARRY;
    this.size = WINDOW;
    if (this.at >= this.source.length) {
      this.removeRest();
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
      this.correct(shown.group, shown.block);
      this.index += 1;
      return;
    }
    target.text = target.token === null ? '' : plainText(target.token);
    this.insert(target);
    this.removeBefore(target.start + target.raw.length);
  }

  /** An equal block may have links that were not known. */
  private correct(group: BlockGroup, block: Block): void {
    if (!block.raw.includes('[') || Object.keys(this.finished.links).length === 0) {
      return;
    }
    const { html } = block;
    block.html = null;
    const tokens = tokensOf(block, this.finished.links);
    block.text = tokens.map(plainText).join('\n\n');
    if (group.placeholder !== null) {
      group.rewrite(this.finished.guess);
    } else if (this.finished.html(block) !== html) {
      this.finished.redraw(group, block, null);
    }
  }

  private insert(target: Block): void {
    const group = this.shown()?.group ?? this.finished.groups[this.groupIndex - 1];
    if (group === undefined || (this.shown() === null && group.placeholder !== null)) {
      this.finished.append(target);
      this.groupIndex = this.finished.groups.length;
      this.index = 0;
      return;
    }
    const place = this.shown() === null ? group.blocks.length : this.index;
    group.blocks.splice(place, 0, target);
    this.index = this.shown() === null ? this.index : this.index + 1;
    this.show(group, target);
  }

  private show(group: BlockGroup, block: Block): void {
    if (group.placeholder !== null) {
      group.rewrite(this.finished.guess);
    } else {
      const next = this.shown();
      this.finished.redraw(group, block, next?.block.element ?? next?.group.placeholder ?? null);
    }
  }

  /** The next shown block; an empty group has none. */
  private shown(): { readonly group: BlockGroup; readonly block: Block } | null {
    for (;;) {
      const group = this.finished.groups[this.groupIndex];
      const block = group?.blocks[this.index];
      if (group === undefined) {
        return null;
      }
      if (block !== undefined) {
        return { group, block };
      }
      this.groupIndex += 1;
      this.index = 0;
    }
  }

  private removeBefore(start: number): void {
    for (let next = this.shown(); next !== null && next.block.start < start; next = this.shown()) {
      this.remove(next.group, next.block);
    }
  }

  private remove(group: BlockGroup, block: Block): void {
    group.blocks.splice(this.index, 1);
    this.finished.drop(block);
    if (group.placeholder !== null) {
      group.rewrite(this.finished.guess);
    }
  }

  private removeRest(): void {
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
    shown.hasNext === target.hasNext &&
    shown.carry.number === target.carry.number &&
    shown.carry.prefix === target.carry.prefix
  );
}
