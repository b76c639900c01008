import type { Item } from '../wire/types';

/** The request of an item that waits for its user's answer, or `null`. */
export function pendingRequest(item: Item): string | null {
  switch (item.kind) {
    case 'tool_call':
      return item.permission?.state === 'pending' ? item.permission.request_id : null;
    case 'elicitation':
      return item.state === 'pending' ? item.request_id : null;
    default:
      return null;
  }
}
