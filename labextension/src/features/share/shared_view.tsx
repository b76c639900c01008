import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import type { Playback, PlayedTurn } from './playback';
import { identity } from '../../views/i18n';
import type { Translate } from '../../views/i18n';
import { useAnnouncer } from '../../views/parts/announcer';
import { mounted } from '../../views/parts/mount';
import type { Mounted, Rendering } from '../../views/props';
import { SceneContext, useSubscription } from '../../views/scene';
import type { Scene } from '../../views/scene';
import { Prompts } from '../../views/turn/prompts';
import { TurnBody } from '../../views/turn/turn_body';
import { Player } from './player';

/** Properties of the view of a shared file. */
interface SharedProps {
  readonly playback: Playback;
  readonly rendering?: Rendering | undefined;
  readonly t?: Translate;
}

/** The turns of a shared file, and the bar that steps through them. */
function SharedView(props: SharedProps) {
  const { playback, rendering, t = identity } = props;
  useSubscription(useCallback(listener => playback.subscribe(listener), [playback]));
  const { announce, regions } = useAnnouncer();
  const root = useRef<HTMLDivElement>(null);
  usePrinting(playback);
  const { place, turns } = playback;
  const first = useRef(place);
  useEffect(() => {
    if (first.current !== place) {
      first.current = -1;
      const sections = root.current?.querySelectorAll('.acp-items');
      const items = sections?.[sections.length - 1];
      (items?.lastElementChild ?? items)?.scrollIntoView({ block: 'nearest' });
    }
  }, [place]);
  return (
    <div class="acp" data-host="file" ref={root}>
      {turns.map((turn, index) => (
        <Turn
          key={turn.id}
          turn={turn}
          label={t('Turn %1', index + 1)}
          scene={{ host: 'file', actions: null, rendering, t, announce }}
        />
      ))}
      {playback.last > 0 && <Player playback={playback} announce={announce} t={t} />}
      {regions}
    </div>
  );
}

interface TurnProps {
  readonly turn: PlayedTurn;
  readonly label: string;
  readonly scene: Omit<Scene, 'store'>;
}

function Turn({ turn: { id, store }, label, scene }: TurnProps) {
  const { host, actions, rendering, t, announce } = scene;
  const own = useMemo(
    (): Scene => ({ store, host, actions, rendering, t, announce }),
    [store, host, actions, rendering, t, announce],
  );
  return (
    <SceneContext.Provider value={own}>
      <section class="acp-turn" aria-label={label}>
        <Prompts turnId={id} />
        <TurnBody turnId={id} isLog={false} />
      </section>
    </SceneContext.Provider>
  );
}

/** Print shows everything unfolded; afterwards the page is as before. */
function usePrinting(playback: Playback): void {
  useLayoutEffect(() => {
    let restore: (() => void) | null = null;
    const before = () => {
      restore ??= playback.print();
    };
    const after = () => {
      restore?.();
      restore = null;
    };
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [playback]);
}

/** Draws a shared file into an element. */
export function mountShared(element: HTMLElement, props: SharedProps): Mounted<SharedProps> {
  return mounted(element, props, next => <SharedView {...next} />);
}
