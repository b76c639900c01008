import type { ToolCall } from '../../wire/types';
import { useScene } from '../parts/scene';
import { Terminal } from './terminal';

/** What a tool wrote, as a terminal shows it. */
export function Output({ item }: { readonly item: ToolCall }) {
  const { t } = useScene();
  const isError = item.status === 'failed' && item.terminal === null;
  const label = isError ? t('Error from the tool') : t('Terminal output');
  return <Terminal itemId={item.id} label={label} />;
}
