import { number, oneOf, text, textOrNull } from './read';
import type { ContentBlockItem } from './types';

/** A content block of a saved record, by itself or of a tool call. */
export function parseContentBlock(value: Readonly<Record<string, unknown>>): ContentBlockItem {
  return {
    id: text(value, 'id'),
    turn_id: textOrNull(value, 'turn_id'),
    parent_id: text(value, 'parent_id'),
    kind: 'content_block',
    type: oneOf(value, 'type', ['other', 'image', 'audio', 'resource_link', 'resource']),
    data: typeof value.data === 'string' ? value.data : '',
    mime_type: text(value, 'mime_type'),
    uri: text(value, 'uri'),
    name: text(value, 'name'),
    text: text(value, 'text'),
    size: number(value, 'size'),
  };
}
