import { createContext } from 'preact';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Run } from '../markdown/rendering';
import { runsOf, useColours } from '../parts/colours';
import type { DiffLine } from './diff_lines';

/** The runs of a line of the diff that is being drawn. */
export const LineColours = createContext<(line: DiffLine) => readonly Run[] | null>(() => null);

interface DiffColoursProps {
  readonly before: string | null;
  readonly after: string;
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Lines in colours: what was removed as it was in its file, all other as it is now. */
export function DiffColours({ before, after, path, children }: DiffColoursProps) {
  const was = useColours(before, path);
  const is = useColours(after, path);
  const value = useMemo(
    () => (line: DiffLine) =>
      line.after === null
        ? runsOf(was, line.before ?? 0, line.text)
        : runsOf(is, line.after, line.text),
    [was, is],
  );
  return <LineColours.Provider value={value}>{children}</LineColours.Provider>;
}
