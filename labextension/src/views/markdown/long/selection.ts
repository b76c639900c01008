import { PLACEHOLDER_CLASS } from './block_group';

/** A place in a text: the number of non-blank characters before it. */
interface TextPosition {
  readonly node: 'start' | 'end';
  readonly letters: number;
}

/**
 * Elements that don't count as a block's words: names and buttons of code, and typeset formulas,
 * which are beside their source.
 */
const BESIDE = '.acp-code > header, [aria-hidden="true"]';

/**
 * The nodes where the user's selection begins and ends, and the focused element, which must stay.
 */
export function selectedNodes(): Node[] {
  const selection = document.getSelection();
  const ends =
    selection === null || selection.isCollapsed ? [] : [selection.anchorNode, selection.focusNode];
  return [...ends, document.activeElement].filter(node => node !== null);
}

/**
 * Remembers where a selection begins or ends in a text out of sight, such as one of the browser's
 * search; the returned function selects the same in the elements drawn by then.
 */
export function keepSelection(placeholder: Element): (elements: readonly Element[]) => void {
  const selection = document.getSelection();
  if (
    selection === null ||
    selection.isCollapsed ||
    !placeholder.classList.contains(PLACEHOLDER_CLASS)
  ) {
    return () => undefined;
  }
  const range = selection.getRangeAt(0);
  const ends = [
    ['start', range.startContainer, range.startOffset] as const,
    ['end', range.endContainer, range.endOffset] as const,
  ];
  const places = ends.flatMap(([node, container, offset]): TextPosition[] =>
    placeholder.contains(container)
      ? [{ node, letters: lettersBefore(placeholder, container, offset) }]
      : [],
  );
  const kept = range.cloneRange();
  return elements => {
    for (const { node, letters } of places) {
      const found = find(elements, letters, node);
      if (found !== null) {
        kept[node === 'start' ? 'setStart' : 'setEnd'](found.text, found.offset);
      }
    }
    if (places.length > 0) {
      selection.removeAllRanges();
      selection.addRange(kept);
      if (places.length === 2) {
        kept.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
      }
    }
  };
}

function lettersBefore(placeholder: Element, container: Node, offset: number): number {
  const range = document.createRange();
  range.setStart(placeholder, 0);
  range.setEnd(container, offset);
  return range.toString().replace(/\s/g, '').length;
}

function find(
  elements: readonly Element[],
  letters: number,
  which: TextPosition['node'],
): { readonly text: Text; readonly offset: number } | null {
  let left = letters;
  for (const element of elements) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!(node instanceof Text) || node.parentElement?.closest(BESIDE) !== null) {
        continue;
      }
      for (let offset = 0; offset < node.data.length; offset += 1) {
        // A beginning is before the next character, an end after the last one.
        if (!/\s/.test(node.data.charAt(offset))) {
          if (left === 0 && which === 'start') {
            return { text: node, offset };
          }
          left -= 1;
          if (left === 0 && which === 'end') {
            return { text: node, offset: offset + 1 };
          }
        }
      }
    }
  }
  return null;
}
