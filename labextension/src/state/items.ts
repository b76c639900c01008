import type { Item, ToolCall } from '../wire/types';

/** The open request of an item, or `null`. */
export function pendingRequest(item: Item): string | null {
  if (item.kind === 'tool_call') {
    return item.permission?.state === 'pending' ? item.permission.request_id : null;
  }
  if (item.kind === 'elicitation' || item.kind === 'trust_request') {
    return item.state === 'pending' ? item.request_id : null;
  }
  return null;
}

/** Whether a call is shown as failed: it says so, or its command ended with an error. */
export function hasFailed({ status, exit_code: code, permission }: ToolCall): boolean {
  if (permission?.state === 'rejected') {
    return false; // a call that was not allowed has not failed
  }
  return status === 'failed' || (status === 'completed' && code !== null && code !== 0);
}

/** Whether it is a file change that a policy or rule allowed: the user sees it afterwards. */
export function isUnseenEdit({ tool_kind: kind, diffs, permission }: ToolCall): boolean {
  const allowed = permission?.state === 'allowed' && permission.without_user;
  return kind === 'edit' && diffs.length > 0 && allowed;
}

/** Whether more of it may come. */
export function isUnderWay({ status }: ToolCall): boolean {
  return status === 'pending' || status === 'in_progress';
}

export function isTool(item: Item): item is ToolCall {
  return item.kind === 'tool_call';
}
