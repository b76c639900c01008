import type { Title, Widget } from '@lumino/widgets';

import type { Translate } from '../../views';
import type { SessionSummary } from '../../wire/types';

/** Shows at the panel's tab how many questions wait in all sessions. */
export function badge(
  title: Title<Widget>,
  sessions: readonly SessionSummary[] | null,
  t: Translate,
): void {
  const waiting = (sessions ?? []).reduce((sum, session) => sum + session.waiting, 0);
  const words = waiting === 0 ? '' : t('%1 waiting', waiting);
  title.label = words;
  title.caption = words === '' ? t('Agent sessions') : `${t('Agent sessions')} · ${words}`;
  title.className = waiting === 0 ? '' : 'acp-mod-waiting';
}
