import type { Links } from 'marked';

import { htmlOf } from '../blocks';
import type { MarkdownOptions } from '../code_block';
import { draw, joinParts } from './draw';
import { tokensOf } from './pieces';
import { endsOfSelection, keepSelection } from './place';
import { plainText } from './plain_text';
import { canWatch, unwatch, watch } from './sight';
import type { Watcher } from './sight';
import { standIn, Stretch } from './stretch';
import type { Block } from './stretch';

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
export class Finished implements Watcher {
  readonly stretches: Stretch[] = [];
  /** Links that the whole text defines; known at its end. */
  links: Links = {};
  private size = 0;
  private isEndNear = true;
  private end: Element | null = null;
  private readonly places = new WeakMap<Element, { stretch: Stretch; block: Block | null }>();
  private readonly reported = new WeakSet<Element>();
  private readonly comes = new Set<Stretch>();
  private readonly goes = new Set<Stretch>();
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
  inSight(blocks: readonly Block[], count: number): (index: number) => boolean {
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
    const stretch = this.filling(block.element !== null, next);
    stretch.add(block, this.guess(block));
    this.size += block.raw.length;
    if (block.element !== null) {
      this.know(stretch, block, block.element);
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
    for (const { blocks, stand } of this.stretches) {
      blocks.forEach(block => this.drop(block));
      if (stand !== null) {
        unwatch(stand);
        stand.remove();
      }
    }
    this.stretches.length = 0;
    this.links = {};
    this.size = 0;
  }

  /** Everything is drawn for printing; blocks out of sight become text again soon. */
  private readonly drawAll = (): void => {
    if (this.host.isConnected) {
      this.stretches.map(stretch => this.draw(stretch)).forEach(select => select());
    }
  };

  readonly seen = (element: Element, isNear: boolean, height: number): void => {
    if (element === this.end) {
      this.isEndNear = isNear;
    }
    const place = this.places.get(element);
    if (place === undefined) {
      return;
    }
    const { stretch, block } = place;
    if (block !== null) {
      block.near = isNear;
      this.measured.height += height;
      this.measured.letters += block.raw.length;
    }
    if (isNear && block === null) {
      this.comes.add(stretch);
    } else if (!isNear && block !== null) {
      this.goes.add(stretch);
    }
  };

  readonly settle = (): void => {
    const selections = [...this.comes].map(stretch => this.draw(stretch));
    this.comes.clear();
    // Last, so that a search result is shown even if blocks above it have grown.
    selections.forEach(select => select());
    const isLong = this.size >= SHORT && this.goes.size > 0;
    // Read once, since it may cause a layout.
    const kept = isLong ? endsOfSelection() : [];
    const gone = isLong ? [...this.goes].filter(stretch => this.mayGo(stretch, kept)) : [];
    this.goes.clear();
    // All are measured before the first is changed.
    const boxes = gone.map(stretch => stretch.measure());
    gone.forEach((stretch, index) => {
      const box = boxes[index];
      if (box !== null && box !== undefined) {
        this.hide(stretch, box);
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
  redraw(stretch: Stretch, block: Block, next: Node | null): void {
    const [element] = draw([this.html(block)], this.options);
    const place = block.element?.nextSibling ?? next;
    this.drop(block);
    if (element !== undefined) {
      joinParts(element, block.carry, block.goesOn);
      this.host.insertBefore(element, place);
      block.element = element;
      this.know(stretch, block, element);
    }
  }

  /** The estimated height of a block, from measured ones. */
  readonly guess = ({ raw }: Block): number => {
    const { height, letters } = this.measured;
    return raw.length * (letters > 2 * NEAR ? (1.1 * height) / letters : FIRST_GUESS);
  };

  private filling(isDrawn: boolean, next: Node | null): Stretch {
    const last = this.stretches[this.stretches.length - 1];
    if (last !== undefined && !last.isFull && (last.stand === null) === isDrawn) {
      return last;
    }
    const stretch = new Stretch(isDrawn ? null : standIn());
    this.stretches.push(stretch);
    if (stretch.stand !== null) {
      this.host.insertBefore(stretch.stand, next);
      this.places.set(stretch.stand, { stretch, block: null });
      watch(stretch.stand, this);
    }
    return stretch;
  }

  private know(stretch: Stretch, block: Block, element: Element): void {
    this.places.set(element, { stretch, block });
    if (canWatch()) {
      watch(element, this);
    }
    if (!this.reported.has(element)) {
      this.reported.add(element);
      this.onFrozen(element);
    }
  }

  private mayGo({ blocks, stand, isNear }: Stretch, kept: readonly Node[]): boolean {
    return (
      stand === null &&
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

  private draw(stretch: Stretch): () => void {
    const { blocks, stand } = stretch;
    if (stand === null) {
      return () => undefined;
    }
    const elements = draw(
      blocks.map(block => this.html(block)),
      this.options,
    );
    const select = keepSelection(stand);
    stand.before(...elements);
    unwatch(stand);
    stand.remove();
    stretch.stand = null;
    blocks.forEach((block, index) => {
      const element = elements[index];
      if (element !== undefined) {
        joinParts(element, block.carry, block.goesOn);
        block.element = element;
        block.near = true;
        this.know(stretch, block, element);
      }
    });
    return () => select(elements);
  }

  private hide(stretch: Stretch, box: NonNullable<ReturnType<Stretch['measure']>>): void {
    for (const { element } of stretch.blocks) {
      if (element !== null) {
        unwatch(element);
        this.onGone(element);
      }
    }
    const stand = stretch.hide(box);
    this.places.set(stand, { stretch, block: null });
    watch(stand, this);
  }
}
