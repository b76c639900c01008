import { useCallback } from 'preact/hooks';

import { textLength, textOf } from '../../state/texts';
import type { ToolCall } from '../../wire/types';
import { between, duration, grouped, plural } from '../parts/format';
import { useOpen, useSubscription, useValue } from '../parts/hooks';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { ContentBlock } from './content_block';
import { DiffBox } from './diff';
import { Fields } from './fields';
import { Terminal } from './terminal';

/** Lines of a read or a search that are shown at first. */
const FIRST_LINES = 12;

/** What a tool call did, opened. */
export function ToolBody({ item }: { readonly item: ToolCall }) {
  const { store, actions } = useScene();
  useSubscription(
    useCallback(listener => store.subscribeItem(item.id, listener), [store, item.id]),
  );
  const hasOutput = textLength(store.view, item.id, 'output') > 0;
  const [raw] = useOpen(`${item.id} raw`, false);
  const isCommand = item.ui_kind === 'execute' || item.command !== '';
  const isLines = item.ui_kind === 'read' || item.ui_kind === 'search';
  const isPlain = !isCommand && !isLines && item.diffs.length === 0;
  return (
    <>
      {isCommand && <Command item={item} />}
      {item.diffs.map((diff, index) => (
        <DiffBox key={index} diff={diff} id={`${item.id} diff ${index}`} />
      ))}
      {isLines && hasOutput && <Lines item={item} />}
      {isPlain && <Fields value={item.raw_input} paths={item.locations.map(place => place.path)} />}
      {(isPlain || item.diffs.length > 0) && hasOutput && !isCommand && (
        <div class="acp-code">
          <Output item={item} />
        </div>
      )}
      {item.blocks.map(block => (
        <ContentBlock key={block.id} block={block} />
      ))}
      {raw && <Raw item={item} />}
      {!isCommand && actions !== null && hasRaw(item) && (
        <div class="acp-bodyfoot">
          <RawButton item={item} />
        </div>
      )}
    </>
  );
}

/** Command line, output with colours, how it ended. */
function Command({ item }: { readonly item: ToolCall }) {
  const { actions, store, t } = useScene();
  const hasOutput = textLength(store.view, item.id, 'output') > 0;
  const ended = item.status === 'completed' || item.status === 'failed';
  return (
    <div class="acp-code">
      {item.command !== '' && (
        <header role="presentation">
          <code class="grow acp-command" dir="ltr">
            <Visible text={item.command} strictness="lookalikes" />
          </code>
          {actions?.copy !== undefined && hasOutput && (
            <button
              type="button"
              class="ico"
              aria-label={t('Copy output')}
              title={t('Copy output')}
              onClick={() => void actions.copy?.(textOf(store.view, item.id, 'output'))}
            >
              <Icon name="copy" />
            </button>
          )}
        </header>
      )}
      {hasOutput && <Output item={item} />}
      {!hasOutput && ended && item.blocks.length === 0 && (
        <p class="muted acp-empty">{t('No output.')}</p>
      )}
      {ended && (
        <footer>
          <ExitCode code={item.exit_code} />
          <span class="grow">
            {t('after %1', duration(between(item.started_at, item.ended_at)) || '0s')}
          </span>
          {actions !== null && hasRaw(item) && <RawButton item={item} />}
        </footer>
      )}
    </div>
  );
}

function ExitCode({ code }: { readonly code: number | null }) {
  const { t } = useScene();
  if (code === null) {
    return null;
  }
  return (
    <span class={`acp-outcome ${code === 0 ? 'ok' : 'err'}`}>
      <Icon name={code === 0 ? 'keep' : 'close'} small />
      {t('Exit code %1', code)}
    </span>
  );
}

function Output({ item }: { readonly item: ToolCall }) {
  const { t } = useScene();
  const label = item.status === 'failed' ? t('Error from the tool') : t('Terminal output');
  return <Terminal itemId={item.id} label={label} />;
}

/** The first lines of what was read or found, with numbers where they are known. */
function Lines({ item }: { readonly item: ToolCall }) {
  const { store, actions, t } = useScene();
  useSubscription(
    useCallback(listener => store.subscribeItem(item.id, listener), [store, item.id]),
  );
  const [all, setAll] = useValue(`${item.id} lines`);
  const lines = textOf(store.view, item.id, 'output').replace(/\n$/, '').split('\n');
  const shown = all === '' && actions !== null ? lines.slice(0, FIRST_LINES) : lines;
  const numbered = item.ui_kind === 'read' && item.first_line !== null;
  const start = item.first_line ?? 1;
  const words = numbered
    ? t('Lines %1 to %2', grouped(start), grouped(start + lines.length - 1))
    : plural(t, lines.length, '1 line', '%1 lines');
  return (
    <div class="acp-code">
      <pre tabIndex={0} role="group" aria-label={item.path === '' ? words : item.path} dir="ltr">
        {numbered
          ? shown.map((line, index) => [
              <span key={index} class="ln">
                {start + index}
              </span>,
              `${line}\n`,
            ])
          : shown.join('\n')}
      </pre>
      <footer>
        <span class="grow">{words}</span>
        {actions !== null && shown.length < lines.length && (
          <button type="button" class="btn quiet small" onClick={() => setAll('1')}>
            {t('Show all')}
          </button>
        )}
        {actions?.openFile !== undefined && item.path !== '' && (
          <button
            type="button"
            class="btn quiet small"
            onClick={() => actions.openFile?.(item.path, item.first_line)}
          >
            <Icon name="open" />
            {t('Open file')}
          </button>
        )}
      </footer>
    </div>
  );
}

function hasRaw(item: ToolCall): boolean {
  return item.raw_input !== null || item.raw_output !== null;
}

function RawButton({ item }: { readonly item: ToolCall }) {
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

function Raw({ item }: { readonly item: ToolCall }) {
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
