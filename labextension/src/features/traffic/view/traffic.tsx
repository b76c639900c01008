import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';

import type { TrafficDetail, TrafficLine, TrafficPage } from '../../../wire/types';
import type { Actions } from '../../../views/actions';
import { SessionStore } from '../../../state/store';
import { bytes, grouped, identity, plural } from '../../../views/i18n';
import type { Translate } from '../../../views/i18n';
import { ActionButton, IconButton, messageOf } from '../../../views/parts/buttons';
import { Icon } from '../../../views/parts/icons';
import { mounted } from '../../../views/parts/mount';
import { ErrorNote } from '../../../views/parts/notes';
import { TitleText } from '../../../views/parts/odd_characters';
import type { Mounted } from '../../../views/props';
import { SceneContext, useScene } from '../../../views/scene';
import type { Scene } from '../../../views/scene';
import { nameOf, timeOf, TrafficList, WAYS } from './traffic_list';
import { TrafficLog } from './traffic_log';
import type { TrafficFilter, TrafficQuery, TrafficRow } from './traffic_log';

/** Pause in typing after which the log is searched. */
const TYPED_MILLISECONDS = 250;

const NO_FILTER: TrafficFilter = { direction: null, method: '', text: '' };

export interface TrafficActions extends Pick<Actions, 'copy' | 'exportSession' | 'openSession'> {
  /** Lines of a session's traffic log. */
  readonly traffic: (sessionId: string, query: TrafficQuery) => Promise<TrafficPage>;
  /** The full text of one of those lines, or of gathered chunks, by its byte range. */
  readonly trafficLine: (
    sessionId: string,
    place: number,
    end: number | null,
  ) => Promise<TrafficDetail>;
}

/** Properties of the view of a session's traffic log. */
export interface TrafficProps {
  readonly sessionId: string;
  readonly actions: TrafficActions;
  /** Title of the session, if it is known. */
  readonly title: string;
  /** Whether the view is visible and connected: then it follows new lines. */
  readonly live: boolean;
  readonly t?: Translate;
}

/** The traffic log: the messages between host and agent, line by line. */
function TrafficView(props: TrafficProps) {
  const { sessionId, actions, title, live, t = identity } = props;
  const [filter, setFilter] = useState(NO_FILTER);
  const change = useCallback(
    (part: Partial<TrafficFilter>) => setFilter(now => ({ ...now, ...part })),
    [],
  );
  const [paused, setPaused] = useState(false);
  const [shown, setShown] = useState<TrafficRow | null>(null);
  const [failure, setFailure] = useState('');
  const log = useTrafficLog(sessionId, actions.traffic, filter, live && !paused);
  const { exportSession, openSession } = actions;
  const name = title === '' ? t('New session') : title;
  const scene = useMemo(
    (): Scene => ({
      store: new SessionStore(sessionId),
      host: 'panel',
      actions: null,
      t,
      announce: () => undefined,
    }),
    [sessionId, t],
  );
  return (
    <SceneContext.Provider value={scene}>
      <div class="acp acp-trafficview" data-host="panel" tabIndex={-1}>
        <div class="acp-traffic" role="region" aria-label={t('Traffic')}>
          <div class="acp-bar">
            <h2 class="cut grow" dir="auto" title={name}>
              <TitleText text={name} />
            </h2>
            <button
              type="button"
              class="btn quiet small"
              aria-pressed={paused}
              onClick={() => setPaused(!paused)}
            >
              {t('Pause')}
            </button>
            {exportSession !== undefined && (
              <ActionButton
                class="btn quiet small"
                run={() => exportSession(sessionId, 'traffic')}
                onFailure={setFailure}
              >
                {t('Export')}
              </ActionButton>
            )}
            {openSession !== undefined && (
              <IconButton
                icon="open"
                label={t('Show the session')}
                onClick={() => openSession(sessionId)}
              />
            )}
          </div>
          <Filters filter={filter} onChange={change} />
          <TrafficList
            log={log}
            chosen={shown?.key ?? ''}
            onChoose={setShown}
            empty={isAll(filter) ? t('No lines yet.') : t('Nothing found.')}
          />
          <p class="acp-traffic-foot muted num" role="status" aria-live="off">
            {footWords(log, paused, t)}
          </p>
          {log.failure !== '' && (
            <div class="acp-traffic-failed">
              <ErrorNote message={log.failure} detail="" />
              <button type="button" class="btn small" onClick={() => void log.newest()}>
                {t('Try again')}
              </button>
            </div>
          )}
          {failure !== '' && <ErrorNote message={failure} detail="" />}
          {shown !== null && shown.rest === 0 && (
            <TrafficDetailBox
              key={shown.key}
              sessionId={sessionId}
              line={shown.line}
              actions={actions}
              onClose={() => setShown(null)}
            />
          )}
        </div>
      </div>
    </SceneContext.Provider>
  );
}

/** Draws a traffic log into an element. */
export function mountTraffic(element: HTMLElement, props: TrafficProps): Mounted<TrafficProps> {
  return mounted(element, props, next => <TrafficView {...next} />);
}

/** Whether the filter shows all lines. */
function isAll({ direction, method, text }: TrafficFilter): boolean {
  return direction === null && method === '' && text === '';
}

/** The traffic log of a session, which follows new lines while it is `live`. */
function useTrafficLog(
  sessionId: string,
  load: TrafficProps['actions']['traffic'],
  filter: TrafficFilter,
  live: boolean,
): TrafficLog {
  const [, setTick] = useState(0);
  const redraw = useCallback(() => setTick(tick => tick + 1), []);
  const log = useMemo(
    () => new TrafficLog(query => load(sessionId, query), filter, redraw),
    [load, sessionId, filter, redraw],
  );
  useEffect(() => {
    void log.newest();
    return () => log.dispose();
  }, [log]);
  useEffect(() => {
    log.live = live;
  }, [log, live]);
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
  readonly actions: TrafficProps['actions'];
  readonly onClose: () => void;
}

/** One line in full, or the text of gathered chunks; fetched when it is opened. */
function TrafficDetailBox({ sessionId, line, actions, onClose }: TrafficDetailProps) {
  const { t } = useScene();
  const [detail, setDetail] = useState<TrafficDetail | null>(null);
  const [failure, setFailure] = useState('');
  const { trafficLine } = actions;
  const end = line.count > 1 ? line.place + line.size : null;
  useEffect(() => {
    let unmounted = false;
    trafficLine(sessionId, line.place, end)
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
  }, [trafficLine, sessionId, line.place, end]);
  const name =
    line.count > 1 ? t('Lines %1–%2', line.seq, line.seq + line.count - 1) : t('Line %1', line.seq);
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
