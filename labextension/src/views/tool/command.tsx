import { useState } from 'preact/hooks';

import { textLength, textOf } from '../../state/texts';
import type { TerminalView, ToolCall } from '../../wire/types';
import { between, duration } from '../i18n';
import type { Translate } from '../i18n';
import { ActionButton, IconButton } from '../parts/buttons';
import { Icon } from '../parts/icons';
import { Visible } from '../parts/odd_characters';
import { useScene } from '../scene';
import { Output } from '../terminal/terminal';
import { hasRaw, RawButton } from './tool_details';

/** A command with its output and its end. */
export function Command({ item }: { readonly item: ToolCall }) {
  const { actions, store, t } = useScene();
  const hasOutput = textLength(store.view, item.id, 'output') > 0;
  const { terminal } = item;
  const runs = terminal?.running === true && terminal.own;
  const ended = item.status === 'completed' || item.status === 'failed';
  const time = duration(between(item.started_at, item.ended_at));
  return (
    <div class="acp-code">
      {(item.command !== '' || runs) && (
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
          {runs && <StopCommand terminalId={terminal.terminal_id} />}
        </header>
      )}
      {hasOutput && <Output item={item} />}
      {terminal?.truncated === true && (
        <p class="muted acp-empty">
          {terminal.running
            ? t('There is too much output. Its end is shown when the command has ended.')
            : t('There was too much output. Its beginning and its end are shown.')}
        </p>
      )}
      {!hasOutput && ended && !runs && item.blocks.length === 0 && (
        <p class="muted acp-empty">{t('No output.')}</p>
      )}
      {(ended || terminal !== null) && (
        <footer role="presentation">
          <CommandEnd item={item} />
          <span class="grow">{ended && time !== '' && t('after %1', time)}</span>
          {actions !== null && hasRaw(item) && <RawButton item={item} />}
        </footer>
      )}
    </div>
  );
}

/** Whether there is more to show than the returned images. */
export function isCommandKnown(
  { command, terminal, blocks }: ToolCall,
  hasOutput: boolean,
): boolean {
  return command !== '' || terminal !== null || hasOutput || blocks.length === 0;
}

/** Ends the command, but not the turn. */
function StopCommand({ terminalId }: { readonly terminalId: string }) {
  const { actions, store, t } = useScene();
  const [problem, setProblem] = useState('');
  if (actions?.killTerminal === undefined) {
    return null;
  }
  return (
    <>
      {problem !== '' && <span class="err">{problem}</span>}
      <ActionButton
        label={t('Stop this command')}
        run={async () => actions.killTerminal?.(store.sessionId, terminalId)}
        onFailure={setProblem}
      >
        {t('Stop')}
      </ActionButton>
    </>
  );
}

/** How a command ended: its exit code, or what stopped it. */
export function CommandEnd({ item }: { readonly item: ToolCall }) {
  const { t } = useScene();
  const { terminal } = item;
  if (terminal?.running === true) {
    return terminal.own ? <span class="acp-outcome">{t('Still running')}</span> : null;
  }
  const stopped = terminal === null ? '' : stoppedWords(terminal, t);
  if (stopped !== '') {
    return (
      <span class={`acp-outcome ${terminal?.by === 'time_limit' ? 'err' : ''}`}>{stopped}</span>
    );
  }
  if (terminal !== null && terminal.signal !== '') {
    return (
      <span class="acp-outcome err">
        <Icon name="close" small />
        {t('Killed by %1', terminal.signal)}
      </span>
    );
  }
  const code = item.exit_code;
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

/** Who stopped a command; empty for one that ended by itself. */
function stoppedWords({ by, signal }: TerminalView, t: Translate): string {
  if (signal === '') {
    return '';
  }
  switch (by) {
    case 'user':
      return t('Stopped by you');
    case 'agent':
      return t('Stopped by the agent');
    case 'time_limit':
      return t('Stopped: it ran too long');
    case 'session':
      return t('Stopped with its agent');
    case '':
      return '';
  }
}
