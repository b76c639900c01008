import type { Links } from 'marked';

import { htmlOf } from '../blocks';
import type { MarkdownOptions } from '../code_block';
import { draw, joinParts } from './draw';
import { tokensOf } from './split_blocks';
import { selectedNodes, keepSelection } from './selection';
import { plainText } from './plain_text';
import { canWatch, unwatch, watch } from './visibility';
import type { VisibilityListener } from './visibility';
import { createPlaceholder, BlockGroup } from './block_group';
import type { Block } from './block_group';

/**
 * Length of source drawn at either end of a long text that comes at once; it fills more than a
 * view.
 */
const NEAR = 4_096;

/** Shorter texts are always drawn whole. */
const SHORT = 12_288;

/** First estimate of the height of a character of source. */
const FIRST_GUESS = 0.5;

/**
 * Elements that stay drawn: those that a user has opened or loaded, and those that are costly to
 * draw.
 */
const KEPT = 'img[referrerpolicy], details[open], .acp-diagram';

/** The finished blocks of a text: drawn if they are in sight, else plain text. */
export class FinishedBlocks implements VisibilityListener {
  readonly groups: BlockGroup[] = [];
  /** Links that the whole text defines; known at its end. */
  links: Links = {};
  private size = 0;
  private isEndNear = true;
  private end: Element | null = null;
  private readonly places = new WeakMap<Element, { group: BlockGroup; block: Block | null }>();
  private readonly reported = new WeakSet<Element>();
  private readonly entering = new Set<BlockGroup>();
  private readonly leaving = new Set<BlockGroup>();
  /** Measured heights, and the number of characters that they are for. */
  private measured = { height: 0, letters: 0 };

  constructor(
    private readonly host: Element,
    private readonly options: MarkdownOptions,
    private readonly onFrozen: (element: Element) => void,
    private readonly onGone: (element: Element) => void,
  ) {
    addEventListener('beforeprint', this.drawAll);
  }

  dispose(): void {
    removeEventListener('beforeprint', this.drawAll);
    this.clear();
  }

  /** Which of the new blocks are drawn; the first `count` of them are finished. */
  drawnFirst(blocks: readonly Block[], count: number): (index: number) => boolean {
    if (!canWatch()) {
      return () => true;
    }
    const before: number[] = [];
    let sum = 0;
    for (const { raw } of blocks) {
      before.push(sum);
      sum += raw.length;
    }
    if (this.size + sum < SHORT) {
      return () => true;
    }
    const isAtAnEnd = (index: number) => {
      const start = before[index] ?? 0;
      return start < NEAR || sum - start < NEAR;
    };
    // In a hidden page nothing is in sight, and the observer reports nothing.
    const isEndInSight = this.isEndNear && !document.hidden;
    return index => index >= count || (isEndInSight && isAtAnEnd(index));
  }

  /**
   * Adds a block after the others: its element, if it has one, is in the page.
   *
   * `next` is the node after it.
   */
  add(block: Block, next: Node | null): void {
    block.text = block.token === null ? block.text : plainText(block.token);
    block.token = null;
    const group = this.groupFor(block.element !== null, next);
    group.add(block, this.guess(block));
    this.size += block.raw.length;
    if (block.element !== null) {
      this.register(group, block, block.element);
    }
  }

  /** The same for a block without an element, which gets one if it is in sight. */
  append(block: Block): void {
    if (!canWatch() || this.isEndNear) {
      const [element] = draw([this.html(block)], this.options);
      if (element !== undefined) {
        this.host.append(element);
        block.element = element;
      }
    }
    this.add(block, null);
  }

  /** Watches the element at the end of the text, to know whether new blocks are in sight. */
  watchEnd(element: Element | null): void {
    if (element !== this.end && element !== null && canWatch()) {
      watch(element, this);
    }
    this.end = element;
  }

  /** Forgets a block's element. */
  drop(block: Block): void {
    if (block.element !== null) {
      unwatch(block.element);
      this.onGone(block.element);
      block.element.remove();
      block.element = null;
    }
  }

  clear(): void {
    for (const { blocks, placeholder } of this.groups) {
      blocks.forEach(block => this.drop(block));
      if (placeholder !== null) {
        unwatch(placeholder);
        placeholder.remove();
      }
    }
    this.groups.length = 0;
    this.links = {};
    this.size = 0;
  }

  /** Everything is drawn for printing; blocks out of sight become text again soon. */
  private readonly drawAll = (): void => {
    if (this.host.isConnected) {
      this.groups.map(group => this.draw(group)).forEach(select => select());
    }
  };

  readonly onVisibility = (element: Element, isNear: boolean, height: number): void => {
    if (element === this.end) {
      this.isEndNear = isNear;
    }
    const place = this.places.get(element);
    if (place === undefined) {
      return;
    }
    const { group, block } = place;
    if (block !== null) {
      block.near = isNear;
      this.measured.height += height;
      this.measured.letters += block.raw.length;
    }
    if (isNear && block === null) {
      this.entering.add(group);
    } else if (!isNear && block !== null) {
      this.leaving.add(group);
    }
  };

  readonly settle = (): void => {
    const selections = [...this.entering].map(group => this.draw(group));
    this.entering.clear();
    // Last, so that a search result is shown even if blocks above it have grown.
    selections.forEach(select => select());
    const isLong = this.size >= SHORT && this.leaving.size > 0;
    // Read once, since it may cause a layout.
    const kept = isLong ? selectedNodes() : [];
    const gone = isLong ? [...this.leaving].filter(group => this.canHide(group, kept)) : [];
    this.leaving.clear();
    // All are measured before the first is changed.
    const boxes = gone.map(group => group.measure());
    gone.forEach((group, index) => {
      const box = boxes[index];
      if (box !== null && box !== undefined) {
        this.hide(group, box);
      }
    });
  };

  /** The HTML of a block. */
  html(block: Block): string {
    block.html ??= (block.token === null ? tokensOf(block, this.links) : [block.token])
      .map(htmlOf)
      .join('');
    return block.html;
  }

  /** Draws a block again in its place, which may be before another block's element. */
  redraw(group: BlockGroup, block: Block, next: Node | null): void {
    const [element] = draw([this.html(block)], this.options);
    const place = block.element?.nextSibling ?? next;
    this.drop(block);
    if (element !== undefined) {
      joinParts(element, block.carry, block.hasNext);
      this.host.insertBefore(element, place);
      block.element = element;
      this.register(group, block, element);
    }
  }

  /** The estimated height of a block, from measured ones. */
  readonly guess = ({ raw }: Block): number => {
    const { height, letters } = this.measured;
    return raw.length * (letters > 2 * NEAR ? (1.1 * height) / letters : FIRST_GUESS);
  };

  private groupFor(isDrawn: boolean, next: Node | null): BlockGroup {
    const last = this.groups[this.groups.length - 1];
    if (last !== undefined && !last.isFull && (last.placeholder === null) === isDrawn) {
      return last;
    }
    const group = new BlockGroup(isDrawn ? null : createPlaceholder());
    this.groups.push(group);
    if (group.placeholder !== null) {
      this.host.insertBefore(group.placeholder, next);
      this.places.set(group.placeholder, { group, block: null });
      watch(group.placeholder, this);
    }
    return group;
  }

  private register(group: BlockGroup, block: Block, element: Element): void {
    this.places.set(element, { group, block });
    if (canWatch()) {
      watch(element, this);
    }
    if (!this.reported.has(element)) {
      this.reported.add(element);
      this.onFrozen(element);
    }
  }

  private canHide({ blocks, placeholder, isNear }: BlockGroup, kept: readonly Node[]): boolean {
    return (
      placeholder === null &&
      !isNear &&
      blocks.every(
        ({ element }) =>
          element !== null &&
          element !== this.end &&
          !kept.some(node => element.contains(node)) &&
          !element.matches(KEPT) &&
          element.querySelector(KEPT) === null,
      )
    );
  }

  private draw(group: BlockGroup): () => void {
    const { blocks, placeholder } = group;
    if (placeholder === null) {
      return () => undefined;
    }
    const elements = draw(
      blocks.map(block => this.html(block)),
      this.options,
    );
    const select = keepSelection(placeholder);
    placeholder.before(...elements);
    unwatch(placeholder);
    placeholder.remove();
    group.placeholder = null;
    blocks.forEach((block, index) => {
      const element = elements[index];
      if (element !== undefined) {
        joinParts(element, block.carry, block.hasNext);
        block.element = element;
        block.near = true;
        this.register(group, block, element);
      }
    });
    return () => select(elements);
  }

  private hide(group: BlockGroup, box: NonNullable<ReturnType<BlockGroup['measure']>>): void {
    for (const { element } of group.blocks) {
      if (element !== null) {
        unwatch(element);
        this.onGone(element);
      }
    }
    const placeholder = group.hide(box);
    this.places.set(placeholder, { group, block: null });
    watch(placeholder, this);
  }
}
