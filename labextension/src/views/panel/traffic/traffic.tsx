import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';

import type { TrafficDetail, TrafficLine } from '../../../wire/types';
import type { Actions } from '../../actions';
import { bytes, grouped, plural } from '../../i18n';
import { ActionButton, IconButton, messageOf } from '../../parts/buttons';
import { Icon } from '../../parts/icons';
import { ErrorNote } from '../../parts/notes';
import { onSecond, useScene } from '../../scene';
import { nameOf, timeOf, TrafficList, WAYS } from './traffic_list';
import { TrafficLog } from './traffic_log';
import type { TrafficFilter } from './traffic_log';

/** Pause in typing after which the log is searched. */
const TYPED_MILLISECONDS = 250;

const NO_FILTER: TrafficFilter = { direction: null, method: '', text: '' };

interface TrafficProps {
  readonly sessionId: string;
  readonly actions: Actions;
  readonly onBack: () => void;
}

/** The traffic log: the messages between host and agent, line by line. */
export function Traffic({ sessionId, actions, onBack }: TrafficProps) {
  const { t } = useScene();
  const [filter, setFilter] = useState(NO_FILTER);
  const change = useCallback(
    (part: Partial<TrafficFilter>) => setFilter(now => ({ ...now, ...part })),
    [],
  );
  const [paused, setPaused] = useState(false);
  const [shown, setShown] = useState<TrafficLine | null>(null);
  const [failure, setFailure] = useState('');
  const log = useTrafficLog(sessionId, actions, filter, paused);
  const exportLog = actions.exportSession;
  return (
    <div class="acp-traffic" role="region" aria-label={t('Traffic')}>
      <div class="acp-bar">
        <h2 class="grow">{t('Traffic')}</h2>
        <button
          type="button"
          class="btn quiet small"
          aria-pressed={paused}
          onClick={() => setPaused(!paused)}
        >
          {t('Pause')}
        </button>
        {exportLog !== undefined && (
          <ActionButton
            class="btn quiet small"
            run={() => exportLog(sessionId, 'traffic')}
            onFailure={setFailure}
          >
            {t('Export')}
          </ActionButton>
        )}
        <IconButton icon="close" label={t('Back to the session')} onClick={onBack} />
      </div>
      <Filters filter={filter} onChange={change} />
      <TrafficList
        log={log}
        chosen={shown?.place ?? null}
        onChoose={setShown}
        empty={isAll(filter) ? t('No lines yet.') : t('Nothing found.')}
      />
      <p class="acp-traffic-foot muted num" role="status" aria-live="off">
        {footWords(log, paused, t)}
      </p>
      {log.failure !== '' && <ErrorNote message={log.failure} detail="" />}
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {shown !== null && (
        <TrafficDetailBox
          key={shown.place}
          sessionId={sessionId}
          line={shown}
          actions={actions}
          onClose={() => setShown(null)}
        />
      )}
    </div>
  );
}

/** Whether the filter shows all lines. */
function isAll({ direction, method, text }: TrafficFilter): boolean {
  return direction === null && method === '' && text === '';
}

/** The traffic log of a session; new lines are fetched each second unless paused. */
function useTrafficLog(
  sessionId: string,
  actions: Actions,
  filter: TrafficFilter,
  paused: boolean,
): TrafficLog {
  const [, setTick] = useState(0);
  const redraw = useCallback(() => setTick(tick => tick + 1), []);
  const load = actions.traffic;
  const log = useMemo(
    () =>
      new TrafficLog(
        async query => {
          if (load === undefined) {
            throw new Error('The traffic cannot be read here.');
          }
          return load(sessionId, query);
        },
        filter,
        redraw,
      ),
    [load, sessionId, filter, redraw],
  );
  useEffect(() => {
    void log.newest();
    return () => log.dispose();
  }, [log]);
  useEffect(
    () =>
      paused
        ? undefined
        : onSecond(() => {
            if (log.atEnd && !document.hidden) {
              void log.newer();
            }
          }),
    [log, paused],
  );
  return log;
}

interface FiltersProps {
  readonly filter: TrafficFilter;
  /** Changes a part of the filter; typed text is applied later than a chosen direction. */
  readonly onChange: (part: Partial<TrafficFilter>) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  const { t } = useScene();
  const [text, setText] = useState('');
  const [method, setMethod] = useState('');
  useEffect(() => {
    if (text === filter.text && method === filter.method) {
      return undefined;
    }
    const timer = setTimeout(() => onChange({ text, method }), TYPED_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text, method, filter.text, filter.method, onChange]);
  const field = (name: string, value: string, onWords: (words: string) => void) => (
    <input
      type="search"
      aria-label={name}
      placeholder={name}
      maxLength={200}
      value={value}
      onInput={event => onWords(event.currentTarget.value)}
    />
  );
  return (
    <div class="acp-traffic-filters" role="search" aria-label={t('Filter lines')}>
      <label class="acp-search">
        <Icon name="search" />
        {field(t('Text'), text, setText)}
      </label>
      <label class="acp-search">{field(t('Method'), method, setMethod)}</label>
      <select
        aria-label={t('Direction')}
        value={filter.direction ?? ''}
        onChange={event => {
          const { value } = event.currentTarget;
          onChange({ direction: value === '>' || value === '<' || value === '!' ? value : null });
        }}
      >
        <option value="">{t('All')}</option>
        <option value=">">{t('To the agent')}</option>
        <option value="<">{t('From the agent')}</option>
        <option value="!">{t('Notes')}</option>
      </select>
    </div>
  );
}

function footWords(log: TrafficLog, paused: boolean, t: ReturnType<typeof useScene>['t']) {
  const words = [plural(t, log.lines.length, '1 line', '%1 lines')];
  if (log.start > 0 && log.size > 0) {
    words.push(t('%1% of the log', grouped(Math.ceil((1 - log.start / log.size) * 100))));
  }
  if (paused) {
    words.push(t('paused'));
  } else if (!log.atEnd) {
    words.push(t('newer lines left out'));
  }
  return words.join(' · ');
}

interface TrafficDetailProps {
  readonly sessionId: string;
  readonly line: TrafficLine;
  readonly actions: Actions;
  readonly onClose: () => void;
}

/** One line in full; fetched when it is opened. */
export function TrafficDetailBox({ sessionId, line, actions, onClose }: TrafficDetailProps) {
  const { t } = useScene();
  const [detail, setDetail] = useState<TrafficDetail | null>(null);
  const [failure, setFailure] = useState('');
  const { trafficLine } = actions;
  useEffect(() => {
    let unmounted = false;
    trafficLine?.(sessionId, line.place)
      .then(found => {
        if (!unmounted) {
          setDetail(found);
        }
      })
      .catch((error: unknown) => {
        if (!unmounted) {
          setFailure(messageOf(error));
        }
      });
    return () => {
      unmounted = true;
    };
  }, [trafficLine, sessionId, line.place]);
  const name = t('Line %1', line.seq);
  return (
    <section class="acp-traffic-detail" aria-label={name}>
      <header>
        <b>{name}</b>
        <span class="cut grow">{nameOf(line, t)}</span>
        {actions.copy !== undefined && detail !== null && (
          <ActionButton
            class="btn quiet small"
            run={async () => actions.copy?.(detail.text)}
            onFailure={setFailure}
          >
            {t('Copy')}
          </ActionButton>
        )}
        <IconButton icon="close" label={t('Close line')} onClick={onClose} />
      </header>
      <p class="muted">
        {[t(WAYS[line.direction]), line.method, timeOf(line.at), bytes(line.size)]
          .filter(part => part !== '')
          .join(' · ')}
      </p>
      {failure !== '' && <ErrorNote message={failure} detail="" />}
      {detail === null && failure === '' && <p class="muted acp-empty">{t('Loading')}</p>}
      {detail !== null && (
        <pre class="acp-scroll" tabIndex={0} role="group" aria-label={t('Message')} dir="ltr">
          {detail.text}
        </pre>
      )}
      {detail?.cut === true && (
        <p class="muted">{t('This is only its beginning. Export the traffic to see all of it.')}</p>
      )}
    </section>
  );
}
