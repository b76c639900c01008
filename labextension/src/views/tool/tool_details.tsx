import type { Diagnostic, Location, ToolCall } from '../../wire/types';
import { FileLink } from '../parts/files';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useOpen, useScene } from '../scene';

/** The line at which a file of this call opens, as the agent names it. */
export function lineOf({ locations }: ToolCall, path: string): number | null {
  return locations.find(location => location.path === path)?.line ?? null;
}

/** The locations of a call, without those that its body already shows. */
export function otherLocations(
  { locations, files }: ToolCall,
  opened: readonly string[],
): Location[] {
  const left = new Set([...opened, ...(files ?? [])]);
  // The folder itself is not worth showing.
  const seen = new Set(['.']);
  return locations.filter(({ path, line }) => {
    const name = `${path}:${line ?? ''}`;
    if (left.delete(path) || seen.has(path) || seen.has(name)) {
      return false;
    }
    seen.add(name);
    return true;
  });
}

/** Locations of a call; a click opens the file there. */
export function Locations({ locations }: { readonly locations: readonly Location[] }) {
  const { t } = useScene();
  return (
    <ul class="acp-places" role="list" aria-label={t('Locations')}>
      {locations.map(({ path, line }, index) => (
        <li key={index}>
          <FileLink path={path} line={line} />
        </li>
      ))}
    </ul>
  );
}

const SEVERITY_TONES: Record<Diagnostic['severity'], string> = {
  error: 'err',
  warning: 'warn',
  info: 'muted',
};

/** Diagnostics of a file that was written. */
export function Diagnostics({ found }: { readonly found: readonly Diagnostic[] }) {
  const { t } = useScene();
  return (
    <ul class="acp-places" role="list" aria-label={t('Diagnostics')}>
      {found.map(({ severity, path, line, message }, index) => (
        <li key={index} data-severity={severity}>
          <span class={`acp-outcome ${SEVERITY_TONES[severity]}`}>
            <Icon name="warning" small />
            {t(severity)}
          </span>
          <FileLink path={path} line={line} />
          <span dir="auto">
            <Visible text={message} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Whether the agent has sent raw input or output. */
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

/** The raw input and output of a call, as JSON. */
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
