import type { TerminalView, ToolCall } from '../../wire/types';
import type { Translate } from '../i18n';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';

/** How a command ended: its exit code, or who or what ended it. */
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

/** Nothing for a command that ended by itself, or before it could be stopped. */
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
