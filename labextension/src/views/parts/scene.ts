import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { SessionStore } from '../../state/store';
import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import type { Rendering } from '../markdown/rendering';

/** What every part of a view draws from. */
export interface Scene {
  readonly store: SessionStore;
  readonly host: 'cell' | 'panel';
  /** `null` for a saved record. */
  readonly actions: Actions | null;
  /** What the host draws better than plain text. */
  readonly rendering?: Rendering | undefined;
  readonly t: Translate;
  /** Tells users of screen readers; `assertive` interrupts them. */
  readonly announce: (words: string, how: 'polite' | 'assertive') => void;
}

export const SceneContext = createContext<Scene | null>(null);

export function useScene(): Scene {
  const scene = useContext(SceneContext);
  if (scene === null) {
    throw new Error('a part of the view is drawn outside a view');
  }
  return scene;
}
