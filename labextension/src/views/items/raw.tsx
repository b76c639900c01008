import type { ToolCall } from '../../wire/types';
import { useOpen } from '../parts/hooks';
import { useScene } from '../parts/scene';

/** Whether the agent has sent anything of its own form. */
export function hasRaw({ raw_input: input, raw_output: output }: ToolCall): boolean {
  return saysSomething(input) || saysSomething(output);
}

function saysSomething(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : value !== null && value !== '';
}

export function RawButton({ item }: { readonly item: ToolCall }) {
  const { t } = useScene();
  const [open, setOpen] = useOpen(`${item.id} raw`, false);
  return (
    <button
      type="button"
      class="btn quiet small"
      aria-pressed={open}
      onClick={() => setOpen(!open)}
    >
      {t('Raw')}
    </button>
  );
}

/** A call as the agent sent it. */
export function Raw({ item }: { readonly item: ToolCall }) {
  const { t } = useScene();
  const value = { tool_name: item.tool_name, input: item.raw_input, output: item.raw_output };
  return (
    <div class="acp-code">
      <pre class="acp-out" tabIndex={0} role="group" aria-label={t('Raw')} dir="ltr">
        {JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}
