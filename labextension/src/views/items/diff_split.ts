import { useCallback } from 'preact/hooks';

import { useSubscription } from '../parts/hooks';

const SPLIT_KEY = 'acp-jupyter:split-diffs';

const splitListeners = new Set<() => void>();
let chosenSplit: boolean | null = null;

/** Whether diffs are drawn side by side where there is room; remembered for all of them. */
export function useSplit(): [boolean, (split: boolean) => void] {
  useSubscription(
    useCallback(listener => {
      splitListeners.add(listener);
      return () => splitListeners.delete(listener);
    }, []),
  );
  return [isSplit(), chooseSplit];
}

function isSplit(): boolean {
  if (chosenSplit === null) {
    try {
      chosenSplit = localStorage.getItem(SPLIT_KEY) === '1';
    } catch {
      chosenSplit = false;
    }
  }
  return chosenSplit;
}

function chooseSplit(split: boolean): void {
  chosenSplit = split;
  try {
    localStorage.setItem(SPLIT_KEY, split ? '1' : '0');
  } catch {
    // Remembered in this page only.
  }
  for (const listener of [...splitListeners]) {
    listener();
  }
}
