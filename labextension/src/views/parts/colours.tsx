import { useEffect, useState } from 'preact/hooks';

import type { Colours, Run } from '../markdown/rendering';
import { useScene } from './scene';
import { Visible } from './visible';

/** Longer texts stay plain, and so do longer lines. */
const MAX_TEXT = 200_000;
const MAX_LINE = 2_000;

/** The colours of a text, once the host has them; `null` for none. */
export function useColours(text: string | null, path: string): Colours | null {
  const paint = useScene().rendering?.lines;
  const [colours, setColours] = useState<Colours | null>(null);
  useEffect(() => {
    let gone = false;
    if (paint && text && text.length <= MAX_TEXT) {
      paint(text, path).then(
        found => gone || setColours(() => found),
        () => undefined,
      );
    }
    return () => {
      gone = true;
    };
  }, [paint, text, path]);
  return colours;
}

/** The runs of a line if they are just that line. */
export function runsOf(colours: Colours | null, line: number, text: string): readonly Run[] | null {
  const runs = text.length > MAX_LINE ? null : (colours?.(line) ?? null);
  return runs?.map(run => run.text).join('') === text ? runs : null;
}

interface ColouredProps {
  readonly text: string;
  /** Of the line that the text is a piece of. */
  readonly runs: readonly Run[] | null;
  /** Where in its line it begins. */
  readonly from?: number;
}

/** A piece of a line in colours, if there are any. */
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
