import { useCallback } from 'preact/hooks';

import { useSubscription } from '../parts/hooks';

const KEY = 'acp-jupyter:split-diffs';

const listeners = new Set<() => void>();
let chosen: boolean | null = null;

/** Whether diffs are drawn side by side where there is room; remembered for all of them. */
export function useSplit(): [boolean, (split: boolean) => void] {
  useSubscription(
    useCallback(listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    }, []),
  );
  return [isSplit(), choose];
}

function isSplit(): boolean {
  if (chosen === null) {
    try {
      chosen = localStorage.getItem(KEY) === '1';
    } catch {
      chosen = false;
    }
  }
  return chosen;
}

function choose(split: boolean): void {
  chosen = split;
  try {
    localStorage.setItem(KEY, split ? '1' : '0');
  } catch {
    // Remembered in this page only.
  }
  for (const listener of [...listeners]) {
    listener();
  }
}
