import { markControls } from '../../parts/odd_characters';
import type { MarkdownOptions } from '../code_block';
import { decorate } from '../decorate';
import type { Carry } from './split_blocks';
import { sanitise } from '../sanitise';

/** The elements of some blocks: sanitised together, decorated, with controls marked. */
export function draw(texts: readonly string[], options: MarkdownOptions): Element[] {
  return sanitise(texts).map(element => {
    decorate(element, options);
    markControls(element);
    const only = element.firstElementChild;
    const bare = element.childElementCount === 1 && isBare(element);
    return bare && only !== null ? only : element;
  });
}

/** There must be no text beside the elements. */
function isBare(element: Element): boolean {
  return [...element.childNodes].every(node => !(node instanceof Text) || node.data.trim() === '');
}

/** Closes the gap between the parts of a very long block. */
export function joinParts(element: Element, carry: Carry, hasNext: boolean): void {
  element.classList.toggle('acp-part', carry.continues);
  element.classList.toggle('acp-goes-on', hasNext);
  if (element.className === '') {
    element.removeAttribute('class');
  }
}
