import { useEffect, useRef, useState } from 'preact/hooks';

import type { SessionState, Usage, UsageReply, Use } from '../../../wire/types';
import type { Actions } from '../../actions';
import { duration, grouped, thousands } from '../../i18n';
import type { Translate } from '../../i18n';
import { useOutside } from '../../parts/outside';
import { useUniqueId } from '../../scene';

const RING_LENGTH = 2 * Math.PI * 6;

interface RingProps {
  readonly session: SessionState | null;
  readonly actions: Actions;
  readonly t: Translate;
}

/** A ring that shows how full the agent's context is; a click shows what was used. */
export function UsageRing({ session, actions, t }: RingProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const id = useUniqueId();
  useOutside(root, open, () => setOpen(false), ['pointerdown', 'focusin']);
  if (session === null) {
    return null;
  }
  const usage = session.usage !== null && session.usage.size > 0 ? session.usage : null;
  if (usage === null && session.use.turns === 0) {
    return null;
  }
  const part = usage === null ? 0 : Math.min(1, Math.max(0, usage.used / usage.size));
  const label = usage === null ? t('Usage') : contextWords(usage, t);
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
      {open && <UsageCard id={id} session={session} usage={usage} actions={actions} t={t} />}
    </span>
  );
}

function contextWords(usage: Usage, t: Translate): string {
  const { used, size, cost_amount: amount, cost_currency: currency } = usage;
  const words = [
    t('Context used: %1% (%2 of %3 tokens)', percent(usage), thousands(used), thousands(size)),
    amount === null ? '' : t('Cost so far: %1', money(amount, currency)),
  ];
  return words.filter(word => word !== '').join('. ');
}

function level(part: number): string {
  if (part > 0.9) {
    return 'full';
  }
  return part > 0.7 ? 'high' : 'low';
}

interface UsageProps {
  readonly id: string;
  readonly session: SessionState;
  /** Of the agent's context; `null` if the agent does not report it. */
  readonly usage: Usage | null;
  readonly actions: Actions;
  readonly t: Translate;
}

/** The numbers behind the ring: of the context, of the session, and of today. */
function UsageCard({ id, session, usage, actions, t }: UsageProps) {
  return (
    <div class="acp-pop acp-usage" role="group" id={id} aria-label={t('Usage')}>
      {usage !== null && (
        <dl>
          <dt>{t('Context used')}</dt>
          <dd>{t('%1% of %2 tokens', percent(usage), grouped(usage.size))}</dd>
          <dt>{t('Used')}</dt>
          <dd>{t('%1 tokens', grouped(usage.used))}</dd>
          <dt>{t('Left')}</dt>
          <dd>{t('%1 tokens', grouped(Math.max(0, usage.size - usage.used)))}</dd>
        </dl>
      )}
      <UseTable session={session} actions={actions} t={t} />
    </div>
  );
}

function UseTable({ session, actions, t }: RingProps & { readonly session: SessionState }) {
  const { use, session_id: sessionId } = session;
  const load = actions.usage;
  const [reply, setReply] = useState<UsageReply | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let current = true;
    load?.(sessionId).then(
      found => {
        if (current) {
          setReply(found);
          setFailed(false);
        }
      },
      () => {
        if (current) {
          setFailed(true);
        }
      },
    );
    return () => {
      current = false;
    };
  }, [load, sessionId, use]);
  const columns = load === undefined ? [use] : [use, reply?.today ?? null];
  return (
    <>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">{t('This session')}</th>
            {load !== undefined && <th scope="col">{t('Today')}</th>}
          </tr>
        </thead>
        <tbody>
          {rowsOf(t).map(([name, words]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map((each, index) => (
                <td key={index}>{each === null ? '…' : words(each)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {failed && <p role="status">{t("Today's use can't be shown now.")}</p>}
    </>
  );
}

/** What the table says of a sum, row by row. */
function rowsOf(t: Translate): [string, (use: Use) => string][] {
  const nothing = t('not reported');
  return [
    [t('Turns'), ({ turns }) => grouped(turns)],
    [t('Time'), ({ seconds }) => duration(seconds) || '0s'],
    [t('Tool calls'), ({ calls }) => grouped(calls)],
    [t('Tokens'), ({ tokens }) => (tokens === null ? nothing : grouped(tokens))],
    [
      t('Cost'),
      ({ costs }) =>
        costs.map(({ amount, currency }) => money(amount, currency)).join(', ') || nothing,
    ],
  ];
}

export function percent({ used, size }: Usage): number {
  return Math.round(Math.min(1, Math.max(0, used / size)) * 100);
}

/** An amount with its currency; amounts below a cent have more digits. */
export function money(amount: number, currency: string): string {
  return `${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)} ${currency}`.trim();
}
