import type { Item } from '../wire/types';
import type { Growth, TextField, Texts } from './session_view';

/** The key of a growing text in `SessionView.growth`. */
export function growthKey(itemId: string, field: TextField): string {
  return `${field} ${itemId}`;
}

/** The text of a field in the item, without appended text. */
export function fieldOf(item: Item, field: TextField): string {
  if (field === 'output') {
    return item.kind === 'tool_call' ? item.output : '';
  }
  return 'text' in item ? item.text : '';
}

/** Length of a field, with all that was appended. */
export function textLength(view: Texts, itemId: string, field: TextField): number {
  const newest = view.growth.get(growthKey(itemId, field));
  if (newest !== undefined) {
    return newest.start + newest.piece.length;
  }
  const item = view.items.get(itemId);
  return item === undefined ? 0 : fieldOf(item, field).length;
}

/** The text of a field from offset `from`; costs as much as was appended since. */
export function textFrom(view: Texts, itemId: string, field: TextField, from: number): string {
  const pieces: string[] = [];
  let node: Growth | null | undefined = view.growth.get(growthKey(itemId, field));
  let start = textLength(view, itemId, field);
  while (node && start > from) {
    start = node.start;
    pieces.push(start < from ? node.piece.slice(from - start) : node.piece);
    node = node.previous;
  }
  if (start > from) {
    const item = view.items.get(itemId);
    pieces.push(item === undefined ? '' : fieldOf(item, field).slice(from));
  }
  return pieces.reverse().join('');
}

/** The whole text of a field. */
export function textOf(view: Texts, itemId: string, field: TextField): string {
  return textFrom(view, itemId, field, 0);
}

/** The item with a field's whole text in it. */
export function withText(item: Item, field: TextField, text: string): Item {
  if (field === 'output') {
    return item.kind === 'tool_call' ? { ...item, output: text } : item;
  }
  return 'text' in item ? { ...item, text } : item;
}
