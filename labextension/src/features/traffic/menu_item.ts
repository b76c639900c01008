import type { Addition } from '../../views/additions';

/** The item in the menu of the panel's session. */
export function trafficItem(open: (sessionId: string) => void): Addition['sessionMenu'] {
  return ({ sessionId, where, t }) =>
    where === 'list' ? null : { name: t('Traffic'), rank: 10, onChoose: () => open(sessionId) };
}
