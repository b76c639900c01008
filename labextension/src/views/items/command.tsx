import { textLength, textOf } from '../../state/texts';
import type { ToolCall } from '../../wire/types';
import { IconButton } from '../parts/buttons';
import { between, duration } from '../parts/format';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { Output } from './output';
import { hasRaw, RawButton } from './raw';

/** Command line, output with colours, how it ended. */
export function Command({ item }: { readonly item: ToolCall }) {
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
            <IconButton
              icon="copy"
              label={t('Copy output')}
              onClick={() => void actions.copy?.(textOf(store.view, item.id, 'output'))}
            />
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
