import { createContext } from 'preact';
import { useCallback, useContext, useLayoutEffect, useState } from 'preact/hooks';

/**
 * Reports to a permission request that a part is folded, with a function that opens it; `null` if
 * open.
 */
type ReportFolded = (id: string, open: (() => void) | null) => void;

/** The reporter of the enclosing permission request; `null` outside one. */
export const Unread = createContext<ReportFolded | null>(null);

/** Whether lines that an agent calls unchanged may be new: the text it replaces is not on disk. */
export const UnsureLines = createContext(false);

/**
 * Reports that a part is folded: the enclosing permission request can't be allowed until it is
 * open.
 */
export function useUnread(id: string, isFolded: boolean, open: () => void): void {
  const report = useContext(Unread);
  useLayoutEffect(() => {
    report?.(id, isFolded ? open : null);
    return () => report?.(id, null);
  }, [report, id, isFolded]);
}

/** The folded parts of a permission request by their ids, and the function that reports them. */
export function useUnreadParts(): [ReadonlyMap<string, () => void>, ReportFolded] {
  const [parts, setParts] = useState<ReadonlyMap<string, () => void>>(new Map());
  const report = useCallback<ReportFolded>((id, open) => {
    setParts(old => {
      if ((open === null) !== old.has(id)) {
        return old;
      }
      const parts = new Map(old);
      if (open === null) {
        parts.delete(id);
      } else {
        parts.set(id, open);
      }
      return parts;
    });
  }, []);
  return [parts, report];
}
