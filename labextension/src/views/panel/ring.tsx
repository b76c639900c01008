import type { Usage } from '../../wire/types';
import type { Translate } from '../i18n';
import { thousands } from '../parts/format';

const LENGTH = 2 * Math.PI * 6;

/** How full the agent's context is. */
export function Ring({ usage, t }: { readonly usage: Usage | null; readonly t: Translate }) {
  if (usage === null || usage.size <= 0) {
    return null;
  }
  const part = Math.min(1, Math.max(0, usage.used / usage.size));
  const words = [
    t('Context used: %1% (%2 of %3 tokens)', Math.round(part * 100), ...counts(usage)),
    cost(usage, t),
  ];
  const label = words.filter(word => word !== '').join('. ');
  return (
    <span class="acp-ring" role="img" aria-label={label} title={label} data-level={level(part)}>
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <circle
          class="used"
          cx="8"
          cy="8"
          r="6"
          stroke-dasharray={`${part * LENGTH} ${LENGTH}`}
          transform="rotate(-90 8 8)"
        />
      </svg>
    </span>
  );
}

function counts({ used, size }: Usage): [string, string] {
  return [thousands(used), thousands(size)];
}

function cost({ cost_amount: amount, cost_currency: currency }: Usage, t: Translate): string {
  return amount === null ? '' : t('Cost so far: %1 %2', amount.toFixed(2), currency);
}

function level(part: number): string {
  if (part > 0.9) {
    return 'full';
  }
  return part > 0.7 ? 'high' : 'low';
}
