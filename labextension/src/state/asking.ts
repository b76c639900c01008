import type { Item } from '../wire/types';

/** The request of an item that waits for its user's answer, or `null`. */
export function pendingRequest(item: Item): string | null {
  if (item.kind === 'tool_call') {
    return item.permission?.state === 'pending' ? item.permission.request_id : null;
  }
  return item.kind === 'elicitation' && item.state === 'pending' ? item.request_id : null;
}
