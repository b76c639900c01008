/** A piece of code of one look; `class` names it (`k`, `str`, `c`, `n`, `f`) or is empty. */
export interface Run {
  readonly text: string;
  readonly class: string;
}

/** The runs of a line of a text, counted from 1; `null` for a line that stays plain. */
export type Colours = (line: number) => readonly Run[] | null;

/** A drawn diagram: an image that can load and run nothing. */
export interface Diagram {
  readonly address: string;
  /** What it shows, in words, as far as its source says. */
  readonly label: string;
  /** In pixels; `null` if it has none of its own. */
  readonly width: number | null;
}

/**
 * What a host can draw better than plain text.
 *
 * Each resolves to `null` where it can't, then the text stays as it is.
 * None of them may change what the text says.
 */
export interface Rendering {
  /** The text in runs that add up to it. `language` is its name or the name of a file. */
  readonly highlight?: (text: string, language: string) => Promise<readonly Run[] | null>;
  /** The same for each line of a file, or of a part of one, by the file's name. */
  readonly lines?: (text: string, path: string) => Promise<Colours | null>;
  /** A formula with its delimiters, as elements that can't act. */
  readonly mathematics?: (source: string) => Promise<Element | null>;
  readonly diagram?: (source: string) => Promise<Diagram | null>;
  /** Told when drawings look different from now on, e.g. in another theme. */
  readonly onChange?: (listener: () => void) => () => void;
}
