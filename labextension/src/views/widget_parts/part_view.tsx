import type { ComponentChildren } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';

import { currentTurn } from '../../state/session_view';
import { identity } from '../i18n';
import { Writer } from '../markdown/writer';
import { useAnnouncer } from '../parts/announcer';
import { mounted } from '../parts/mount';
import { ConnectionNote, ErrorNote } from '../parts/notes';
import type { Mounted, PartProps } from '../props';
import { SceneContext, useScene, useSubscription } from '../scene';
import type { Scene } from '../scene';
import { TurnBody } from '../turn/turn_body';
import { TurnHead, useTurnKeys } from '../turn/turn_view';
import { SessionPart } from './session_part';
import { DiffsPart, PermissionPart, PlanPart, TextPart, ToolCallsPart } from './turn_parts';

/** A turn, a session, or one part of either, by itself. */
export function PartView(props: PartProps) {
  const { store, part, turnId, actions, connection, rendering, t = identity } = props;
  const { askedBelow = false } = props;
  const { announce, regions } = useAnnouncer();
  const [failure, setFailure] = useState('');
  const scene = useMemo(
    (): Scene => ({ store, host: 'cell', actions, askedBelow, rendering, t, announce }),
    [store, actions, askedBelow, rendering, t, announce],
  );
  const root = useTurnKeys(scene);
  return (
    <SceneContext.Provider value={scene}>
      <div class="acp" data-host="cell" data-part={part} ref={root}>
        {part === 'composer' || part === 'session' ? (
          <SessionPart {...props} onFailure={setFailure} />
        ) : (
          <div class="acp-turn">
            <OfTurn turnId={turnId} part={part} />
          </div>
        )}
        {failure !== '' && <ErrorNote message={failure} detail="" />}
        {part !== 'session' && <ConnectionNote connection={connection} />}
        {regions}
      </div>
    </SceneContext.Provider>
  );
}

interface OfTurnProps {
  /** Empty for the running turn, else the newest. */
  readonly turnId: string;
  readonly part: Exclude<PartProps['part'], 'composer' | 'session'>;
}

function OfTurn({ turnId: named, part }: OfTurnProps) {
  const { store, t } = useScene();
  useSubscription(useCallback(listener => store.subscribeSession(listener), [store]));
  const turnId = named === '' ? currentTurn(store.view) : named;
  if (turnId === '') {
    return <Nothing>{t('No turn yet.')}</Nothing>;
  }
  return (
    <div data-turn={turnId} key={turnId}>
      <PartOfTurn turnId={turnId} part={part} />
    </div>
  );
}

function PartOfTurn({ turnId, part }: OfTurnProps) {
  switch (part) {
    case 'turn':
      return (
        <>
          <TurnHead turnId={turnId} />
          <TurnBody turnId={turnId} isLog />
        </>
      );
    case 'text':
      return <TextPart turnId={turnId} />;
    case 'plan':
      return <PlanPart turnId={turnId} />;
    case 'tool_calls':
      return <ToolCallsPart turnId={turnId} />;
    case 'diffs':
      return <DiffsPart turnId={turnId} />;
    case 'permission':
      return <PermissionPart turnId={turnId} />;
  }
}

/** Shown while there is nothing to draw yet. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="acp-nothing muted">{children}</p>;
}

/** Draws a turn's saved Markdown, if nothing else is known of it. */
export function mountWords(element: HTMLElement, words: string): () => void {
  const view = document.createElement('div');
  view.className = 'acp';
  view.dataset['host'] = 'cell';
  const prose = document.createElement('div');
  prose.className = 'acp-prose';
  view.append(prose);
  element.append(view);
  const writer = new Writer(prose, { t: identity, controls: false });
  writer.become(words, false);
  return () => {
    writer.dispose();
    view.remove();
  };
}

/** Draws a part into an element. */
export function mountPart(element: HTMLElement, props: PartProps): Mounted<PartProps> {
  return mounted(element, props, next => <PartView {...next} />);
}
