import { useMemo, useState } from 'preact/hooks';

import { SessionStore } from '../../../state/store';
import type { HistoryStep } from '../../../wire/types';
import type { Actions } from '../../../views/actions';
import { identity, plural } from '../../../views/i18n';
import type { Translate } from '../../../views/i18n';
import { useAnnouncer } from '../../../views/parts/announcer';
import { ActionButton, IconButton } from '../../../views/parts/buttons';
import { mounted } from '../../../views/parts/mount';
import { ErrorNote } from '../../../views/parts/notes';
import type { Mounted } from '../../../views/props';
import { SceneContext } from '../../../views/scene';
import type { Scene } from '../../../views/scene';
import { MomentView } from './moment';
import type { HistoryProps } from './props';

export function HistoryView(props: HistoryProps) {
  const { name, steps, failure, getFile, rendering, t = identity } = props;
  const { announce, regions } = useAnnouncer();
  const scene = useMemo(
    (): Scene => ({
      store: new SessionStore('history'),
      host: 'panel',
      actions: actionsWith(getFile),
      rendering,
      t,
      announce,
    }),
    [getFile, rendering, t, announce],
  );
  return (
    <SceneContext.Provider value={scene}>
      <div class="acp acp-historyview" data-host="panel" tabIndex={-1}>
        <div class="acp-history" role="region" aria-label={t('History')}>
          <header class="acp-bar" role="presentation">
            <h2 class="cut grow" dir="auto" title={name}>
              {t('History of %1', name)}
            </h2>
          </header>
          {failure !== '' && (
            <div class="acp-history-failure">
              <ErrorNote message={failure} detail="" />
              <button type="button" class="btn small" onClick={props.again}>
                {t('Try again')}
              </button>
            </div>
          )}
          {steps === null ? (
            failure === '' && <Loading words={t('Loading the turns')} />
          ) : (
            <Steps {...props} steps={steps} t={t} />
          )}
        </div>
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

/** A file's diff is drawn like that of a turn. Nothing here can be answered or stopped. */
function actionsWith(getFile: HistoryProps['getFile']): Actions {
  const nothing = () => Promise.resolve();
  return {
    answerPermission: nothing,
    cancel: nothing,
    getChanges: (turnId, path) => getFile(turnId, path),
  };
}

function Loading({ words }: { readonly words: string }) {
  return (
    <p class="acp-loading muted">
      <span class="spin" aria-hidden="true" />
      {words}
    </p>
  );
}

interface StepsProps extends HistoryProps {
  readonly steps: readonly HistoryStep[];
  readonly t: Translate;
}

function Steps(props: StepsProps) {
  const { steps, place, shown, loading, failure, restored, getFile, t } = props;
  const { go, restore, undo } = props;
  const [refused, setRefused] = useState({ words: '', place, steps });
  // A refusal at one place doesn't apply to another.
  const why = refused.place === place && refused.steps === steps ? refused.words : '';
  const onFailure = (words: string) => setRefused({ words, place, steps });
  const step = steps[Math.max(0, place - 1)];
  const back = steps.slice(place);
  const done = restored !== '' && (
    <div class="acp-note acp-history-restored" data-tone="info" role="status">
      <div>
        <p dir="auto">{restored}</p>
        <ActionButton run={undo} onFailure={onFailure}>
          {t('Undo')}
        </ActionButton>
      </div>
    </div>
  );
  const note = why !== '' && (
    <div role="alert">
      <ErrorNote message={why} detail="" />
    </div>
  );
  if (step === undefined) {
    return (
      <>
        {done}
        {note}
        <p class="muted acp-nothing">{t('This notebook has had no turns yet.')}</p>
      </>
    );
  }
  return (
    <>
      <Slider {...{ steps, place, go, t }} />
      <div class="acp-history-step">
        <p class="grow" dir="auto">
          <b>{place === 0 ? t('Before the first turn') : step.prompt}</b>
          {place > 0 && <span class="muted"> {detailsOf(step, t)}</span>}
        </p>
        {back.length > 0 && (
          <ActionButton run={restore} onFailure={onFailure}>
            {t('Restore to here')}
          </ActionButton>
        )}
      </div>
      <p class="muted acp-history-hint">{hintOf(back, t)}</p>
      {done}
      {note}
      {shown !== null ? (
        <MomentView {...shown} {...{ loading, getFile }} />
      ) : (
        failure === '' && <Loading words={t('Loading files and cells')} />
      )}
    </>
  );
}

function Slider({ steps, place, go, t }: Pick<StepsProps, 'steps' | 'place' | 'go' | 't'>) {
  const last = steps.length;
  return (
    <div class="acp-history-slider" role="group" aria-label={t('Turns')}>
      <IconButton
        icon="previous"
        label={t('Previous turn')}
        disabled={place === 0}
        onClick={() => go(place - 1)}
      />
      <input
        type="range"
        min={0}
        max={last}
        value={place}
        aria-label={t('Turn')}
        aria-valuetext={
          place === 0
            ? t('before turn 1 of %1', last)
            : t('turn %1 of %2: %3', place, last, steps[place - 1]?.prompt ?? '')
        }
        onInput={event => go(Number(event.currentTarget.value))}
      />
      <IconButton
        icon="next"
        label={t('Next turn')}
        disabled={place === last}
        onClick={() => go(place + 1)}
      />
      <span class="num muted">{t('%1 of %2', place, last)}</span>
    </div>
  );
}

/** Author, time and number of changed files. */
function detailsOf(
  { agent_name: agent, started_at: at, files, running }: HistoryStep,
  t: Translate,
) {
  const when =
    at === null
      ? ''
      : new Date(at * 1000).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  const what = running
    ? t('running')
    : files === 0
      ? t('changed no files')
      : plural(t, files, 'changed one file', 'changed %1 files');
  return [agent, when, what].filter(each => each !== '').join(' · ');
}

/** What a restore would do. */
function hintOf(back: readonly HistoryStep[], t: Translate): string {
  if (back.length === 0) {
    return t('This is the newest turn.');
  }
  const words = plural(
    t,
    back.length,
    'Restoring takes back the turn after this moment.',
    'Restoring takes back the %1 turns after this moment.',
  );
  return back.some(({ running }) => running)
    ? `${words} ${t('The turn that runs is stopped first.')}`
    : words;
}

/** Draws the history of a notebook into an element. */
export function mountHistory(element: HTMLElement, props: HistoryProps): Mounted<HistoryProps> {
  return mounted(element, props, next => <HistoryView {...next} />);
}
