import type { ToolCall } from '../../wire/types';

/** Whether a call shall look failed: it says so, or its command ended with an error. */
export function hasFailed({ status, exit_code: code, permission }: ToolCall): boolean {
  if (permission?.state === 'rejected') {
    return false; // what was not allowed has not failed
  }
  return status === 'failed' || (status === 'completed' && code !== null && code !== 0);
}

/** Whether more is to come of it. */
export function isUnderWay({ status }: ToolCall): boolean {
  return status === 'pending' || status === 'in_progress';
}
