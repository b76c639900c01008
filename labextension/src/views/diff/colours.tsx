import { createContext } from 'preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { Visible } from '../parts/odd_characters';
import type { Colours, Run } from '../props';
import { useScene } from '../scene';
import type { DiffLine } from './compare_lines';

/** The coloured runs of a line of the diff that is being drawn. */
export const LineColours = createContext<(line: DiffLine) => readonly Run[] | null>(() => null);

interface DiffColoursProps {
  readonly before: string | null;
  readonly after: string;
  readonly path: string;
  /** The lines of the file at which the texts begin. */
  readonly firstBefore?: number | null;
  readonly firstAfter?: number | null;
  readonly children: ComponentChildren;
}

/** Colours the lines in it: removed ones by the old text, all others by the new one. */
export function DiffColours(props: DiffColoursProps) {
  const { before, after, path, children } = props;
  const skippedBefore = (props.firstBefore ?? 1) - 1;
  const skippedAfter = (props.firstAfter ?? 1) - 1;
  const was = useColours(before, path);
  const is = useColours(after, path);
  const value = useMemo(
    () => (line: DiffLine) =>
      line.after === null
        ? runsOf(was, (line.before ?? 0) - skippedBefore, line.text)
        : runsOf(is, line.after - skippedAfter, line.text),
    [was, is, skippedBefore, skippedAfter],
  );
  return <LineColours.Provider value={value}>{children}</LineColours.Provider>;
}

/** Longer texts and longer lines stay plain. */
const MAX_TEXT = 200_000;

const MAX_LINE = 2_000;

/** The colours of a text, once the host has computed them; `null` without. */
export function useColours(text: string | null, path: string): Colours | null {
  const paint = useScene().rendering?.lines;
  const [colours, setColours] = useState<Colours | null>(null);
  useEffect(() => {
    let unmounted = false;
    if (paint && text && text.length <= MAX_TEXT) {
      paint(text, path).then(
        found => unmounted || setColours(() => found),
        () => undefined,
      );
    }
    return () => {
      unmounted = true;
    };
  }, [paint, text, path]);
  return colours;
}

/** The runs of a line, if they add up to it. */
export function runsOf(colours: Colours | null, line: number, text: string): readonly Run[] | null {
  const runs = text.length > MAX_LINE ? null : (colours?.(line) ?? null);
  return runs?.map(run => run.text).join('') === text ? runs : null;
}

interface ColouredProps {
  readonly text: string;
  /** Runs of the line that the text is a piece of. */
  readonly runs: readonly Run[] | null;
  /** Offset of the text in its line. */
  readonly from?: number;
}

/** A piece of a line, in colours if it has any. */
export function Coloured({ text, runs, from = 0 }: ColouredProps) {
  let left = from;
  let room = from + text.length;
  return runs === null ? (
    <Visible text={text} />
  ) : (
    <>
      {runs.map((run, index) => {
        const piece = run.text.slice(Math.max(0, left), Math.max(0, room));
        left -= run.text.length;
        room -= run.text.length;
        return (
          piece !== '' &&
          (run.class === '' ? (
            <Visible key={index} text={piece} />
          ) : (
            <span key={index} class={run.class}>
              <Visible text={piece} />
            </span>
          ))
        );
      })}
    </>
  );
}
