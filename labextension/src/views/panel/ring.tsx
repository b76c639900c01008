import { useEffect, useRef, useState } from 'preact/hooks';

import type { Usage } from '../../wire/types';
import type { Translate } from '../i18n';
import { thousands } from '../parts/format';
import { useUniqueId } from '../parts/unique_id';
import { money, percent, UsageCard } from './usage';

const RING_LENGTH = 2 * Math.PI * 6;

/** How full the agent's context is; a click shows the numbers. */
export function UsageRing({ usage, t }: { readonly usage: Usage | null; readonly t: Translate }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const id = useUniqueId();
  useEffect(() => {
    if (!open) {
      return undefined;
    }
    const close = (event: Event) => {
      const target = event.target instanceof Node ? event.target : null;
      if (root.current?.contains(target) !== true) {
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
