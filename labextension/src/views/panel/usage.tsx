import type { Usage } from '../../wire/types';
import type { Translate } from '../i18n';
import { grouped } from '../parts/format';

interface UsageProps {
  readonly id: string;
  readonly usage: Usage;
  readonly t: Translate;
}

/** The numbers behind the ring. */
export function UsageCard({ id, usage, t }: UsageProps) {
  const { used, size, cost_amount: amount, cost_currency: currency } = usage;
  const rows: [string, string][] = [
    [t('Context used'), t('%1% of %2 tokens', percent(usage), grouped(size))],
    [t('Used'), t('%1 tokens', grouped(used))],
    [t('Left'), t('%1 tokens', grouped(Math.max(0, size - used)))],
    ...(amount === null
      ? []
      : [[t('Cost so far'), money(amount, currency)] satisfies [string, string]]),
  ];
  return (
    <div class="acp-pop acp-usage" role="group" id={id} aria-label={t('Usage')}>
      <dl>
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </div>
  );
}

export function percent({ used, size }: Usage): number {
  return Math.round(Math.min(1, Math.max(0, used / size)) * 100);
}

/** Less than a cent is told too. */
export function money(amount: number, currency: string): string {
  return `${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)} ${currency}`.trim();
}
