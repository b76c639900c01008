import type { Diff, ToolCall } from '../../wire/types';

/** Whether the agent told no more than what is replaced: then nobody knows which lines these are. */
export function isPart({ raw_input: input }: ToolCall, { old_text: old }: Diff): boolean {
  return (
    typeof input === 'object' && input !== null && old !== '' && Object.values(input).includes(old)
  );
}
