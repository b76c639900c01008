import { useMemo } from 'preact/hooks';

import { SessionStore } from '../../../state/store';
import { mounted } from '../../../views/parts/mount';
import { SceneContext } from '../../../views/scene';
import type { Mounted, Translate } from '../../../views';
import type { Going } from '../going_along';
import { GoingList } from './going_list';

export interface LineProps {
  readonly all: readonly Going[];
  readonly words: string;
  readonly t: Translate;
}

/** What goes along with the prompt of a cell, outside any session. */
function Line({ all, words, t }: LineProps) {
  const scene = useMemo(
    () => ({
      ...{ store: new SessionStore(''), host: 'cell' as const, actions: null, t },
      announce: () => undefined,
    }),
    [t],
  );
  return (
    <SceneContext.Provider value={scene}>
      <GoingList all={all} words={words} more="" />
    </SceneContext.Provider>
  );
}

export function mountLine(element: HTMLElement, props: LineProps): Mounted<LineProps> {
  return mounted(element, props, next => <Line {...next} />);
}
