import { markControls } from '../parts/odd_characters';
import { blocksOf, htmlOf, isVisible, lex, normaliseLines } from './blocks';
import type { MarkdownOptions } from './code_block';
import { decorate } from './decorate';
import { OpenFence } from './fence';
import { sanitise } from './sanitise';

/** A shown block: its HTML and its element. */
interface Block {
  readonly html: string;
  readonly element: Element;
}

/** Most characters shown in one step, so that a frame can end after each. */
const MAX_PER_FLUSH = 2_048;

/**
 * Growing Markdown in one element.
 *
 * Only the end is parsed again; a block is frozen when the next one has started.
 * One full pass at the end corrects what depends on the whole text (links defined
 * later, loose lists), and changes only blocks that differ.
 */
export class MarkdownStream {
  /** All text so far. */
  source = '';
  private pending = '';
  private tail = '';
  private frozen: Block[] = [];
  private live: Block[] = [];
  private fence: OpenFence | null = null;
  private readonly reported = new WeakSet<Element>();

  /** `onFrozen` is called with each element that is complete. */
  constructor(
    private readonly host: Element,
    private readonly options: MarkdownOptions,
    private readonly onFrozen: (element: Element) => void = () => undefined,
  ) {}

  /** Appends text; the next `flush` shows it. */
  append(text: string): void {
    this.source += text;
    this.pending += text;
  }

  /** Shows at most one step of the appended text; returns whether more is left. */
  flush(): boolean {
    let piece = this.pending.slice(0, MAX_PER_FLUSH);
    // A line end may be cut in two.
    if (piece.endsWith('\r')) {
      piece = piece.slice(0, -1);
    }
    if (piece === '') {
      return false;
    }
    this.pending = this.pending.slice(piece.length);
    this.show(normaliseLines(piece));
    return this.pending.length > 1;
  }

  /** Whether more than one step of text is not shown yet. */
  get isBehind(): boolean {
    return this.pending.length > MAX_PER_FLUSH;
  }

  /** Shows the complete text by one full pass. */
  finish(): void {
    this.pending = '';
    this.tail = '';
    this.fence = null;
    const shown = [...this.frozen, ...this.live];
    const target = blocksOf(normaliseLines(this.source)).map(block => block.html);
    let start = 0;
    while (start < shown.length && start < target.length && shown[start]?.html === target[start]) {
      start += 1;
    }
    let shownEnd = shown.length;
    let targetEnd = target.length;
    while (
      shownEnd > start &&
      targetEnd > start &&
      shown[shownEnd - 1]?.html === target[targetEnd - 1]
    ) {
      shownEnd -= 1;
      targetEnd -= 1;
    }
    const after = shown[shownEnd]?.element ?? null;
    shown.slice(start, shownEnd).forEach(block => block.element.remove());
    const blocks = this.make(target.slice(start, targetEnd));
    blocks.forEach(block => this.host.insertBefore(block.element, after));
    this.frozen = [...shown.slice(0, start), ...blocks, ...shown.slice(shownEnd)];
    this.live = [];
    this.tell(this.frozen);
  }

  /** Starts over with nothing. */
  reset(): void {
    [...this.frozen, ...this.live].forEach(block => block.element.remove());
    this.frozen = [];
    this.live = [];
    this.source = '';
    this.pending = '';
    this.tail = '';
    this.fence = null;
  }

  private show(text: string): void {
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
    this.tail += rest;
    this.renderTail();
  }

  private renderTail(): void {
    const tokens = lex(this.tail);
    const visible = tokens.filter(isVisible);
    const last = visible[visible.length - 1];
    if (last === undefined) {
      return;
    }
    // If the lexer has changed the text, its offsets can't be used.
    const fits = tokens.map(token => token.raw).join('') === this.tail;
    const opens = fits && last.type === 'code' && last === tokens[tokens.length - 1];
    this.fence = opens ? OpenFence.open(last.raw, this.options) : null;
    this.showBlocks((this.fence === null ? visible : visible.slice(0, -1)).map(htmlOf));
    if (this.fence !== null) {
      this.mountAt(visible.length - 1, { html: '', element: this.fence.box });
    }
    this.live.splice(visible.length).forEach(block => block.element.remove());
    if (fits && visible.length > 1) {
      const frozen = this.live.splice(0, visible.length - 1);
      this.frozen.push(...frozen);
      this.tell(frozen);
      const before = tokens.slice(0, tokens.indexOf(last));
      this.tail = this.tail.slice(before.reduce((sum, token) => sum + token.raw.length, 0));
    }
  }

  private tell(frozen: readonly Block[]): void {
    for (const { element } of frozen) {
      if (!this.reported.has(element)) {
        this.reported.add(element);
        this.onFrozen(element);
      }
    }
  }

  private showBlocks(target: readonly string[]): void {
    const changed = [...target.keys()].filter(index => this.live[index]?.html !== target[index]);
    const blocks = this.make(changed.map(index => target[index] ?? ''));
    blocks.forEach((block, nth) => this.showBlock(changed[nth] ?? 0, block));
  }

  private showBlock(index: number, block: Block): void {
    const shown = this.live[index];
    if (shown !== undefined && shown.element.tagName === block.element.tagName) {
      patch(shown.element, block.element);
      this.live[index] = { html: block.html, element: shown.element };
    } else {
      this.mountAt(index, block);
    }
  }

  private mountAt(index: number, block: Block): void {
    const shown = this.live[index];
    if (shown !== undefined) {
      shown.element.replaceWith(block.element);
    } else {
      this.host.append(block.element);
    }
    this.live[index] = block;
  }

  private make(texts: readonly string[]): Block[] {
    return sanitise(texts).map((element, index) => {
      decorate(element, this.options);
      markControls(element);
      const only = element.firstElementChild;
      const bare = only !== null && element.childElementCount === 1 && isBare(element);
      return { html: texts[index] ?? '', element: bare ? only : element };
    });
  }
}

/** No text beside the elements. */
function isBare(element: Element): boolean {
  return [...element.childNodes].every(node => !(node instanceof Text) || node.data.trim() === '');
}
/**
 * Makes an element equal to another of the same tag, keeping every node that can
 * stay, so that growing text keeps its text node and the user's selection.
 */
export function patch(shown: Element, target: Element): void {
  patchAttributes(shown, target);
  let node = shown.firstChild;
  for (const next of [...target.childNodes]) {
    if (node === null) {
      shown.append(next);
      continue;
    }
    const following: ChildNode | null = node.nextSibling;
    patchNode(node, next);
    node = following;
  }
  while (node !== null) {
    const following: ChildNode | null = node.nextSibling;
    node.remove();
    node = following;
  }
}

function patchNode(node: ChildNode, target: ChildNode): void {
  if (node instanceof Text && target instanceof Text) {
    patchText(node, target.data);
  } else if (
    node instanceof Element &&
    target instanceof Element &&
    node.tagName === target.tagName
  ) {
    patch(node, target);
  } else {
    node.replaceWith(target);
  }
}

/** Updates a text node, by appending where the text has only grown. */
export function patchText(node: Text, target: string): void {
  const { data } = node;
  if (target === data) {
    return;
  }
  if (target.startsWith(data)) {
    node.appendData(target.slice(data.length));
  } else {
    node.data = target;
  }
}

function patchAttributes(shown: Element, target: Element): void {
  for (const { name, value } of [...target.attributes]) {
    if (shown.getAttribute(name) !== value) {
      shown.setAttribute(name, value);
    }
  }
  for (const { name } of [...shown.attributes]) {
    if (!target.hasAttribute(name)) {
      shown.removeAttribute(name);
    }
  }
}
