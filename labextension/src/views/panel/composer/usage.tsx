import { useEffect, useRef, useState } from 'preact/hooks';

import type { Usage } from '../../../wire/types';
import { grouped, thousands } from '../../i18n';
import type { Translate } from '../../i18n';
import { targetOf } from '../../parts/keyboard';
import { useUniqueId } from '../../scene';

const RING_LENGTH = 2 * Math.PI * 6;

/** A ring that shows how full the agent's context is; a click shows the numbers. */
export function UsageRing({ usage, t }: { readonly usage: Usage | null; readonly t: Translate }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const id = useUniqueId();
  useEffect(() => {
    if (!open) {
      return undefined;
    }
    const close = (event: Event) => {
      if (root.current?.contains(targetOf(event)) !== true) {
        setOpen(false);
      }
    };
    document.addEventListener('pointerdown', close, true);
    document.addEventListener('focusin', close, true);
    return () => {
      document.removeEventListener('pointerdown', close, true);
      document.removeEventListener('focusin', close, true);
    };
  }, [open]);
  if (usage === null || usage.size <= 0) {
    return null;
  }
  const part = Math.min(1, Math.max(0, usage.used / usage.size));
  const words = [
    t(
      'Context used: %1% (%2 of %3 tokens)',
      percent(usage),
      thousands(usage.used),
      thousands(usage.size),
    ),
    usage.cost_amount === null
      ? ''
      : t('Cost so far: %1', money(usage.cost_amount, usage.cost_currency)),
  ];
  const label = words.filter(word => word !== '').join('. ');
  const onKeyDown = (event: KeyboardEvent) => {
    if (open && event.key === 'Escape') {
      event.stopPropagation();
      setOpen(false);
      root.current?.querySelector('button')?.focus();
    }
  };
  return (
    <span ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="acp-ring"
        aria-label={label}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        title={label}
        data-level={level(part)}
        onClick={() => setOpen(!open)}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="6" />
          <circle
            class="used"
            cx="8"
            cy="8"
            r="6"
            stroke-dasharray={`${part * RING_LENGTH} ${RING_LENGTH}`}
            transform="rotate(-90 8 8)"
          />
        </svg>
      </button>
      {open && <UsageCard id={id} usage={usage} t={t} />}
    </span>
  );
}

function level(part: number): string {
  if (part > 0.9) {
    return 'full';
  }
  return part > 0.7 ? 'high' : 'low';
}

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

/** An amount with its currency; amounts below a cent have more digits. */
export function money(amount: number, currency: string): string {
  return `${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)} ${currency}`.trim();
}
