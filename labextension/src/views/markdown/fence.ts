import { writtenOut } from '../parts/odd_characters';
import { codeBox } from './code_block';
import type { CodeLines } from './code_lines';
import type { MarkdownOptions } from './code_block';

const OPENING = /^( {0,3})(`{3,}|~{3,})([^\n]*)\n/;

/**
 * A code block that is not closed yet: text is appended, since
 * rendering it again with every piece would cost its whole length each time.
 */
export class OpenFence {
  readonly box: HTMLElement;
  private readonly lines: CodeLines;
  private rawText: string;
  /** The last line, while it has no end. */
  private line = '';
  private shownOfLine = 0;
  private empty = true;

  private constructor(
    opening: RegExpExecArray,
    options: MarkdownOptions,
    private readonly indent = opening[1]?.length ?? 0,
    private readonly marker = opening[2] ?? '',
  ) {
    const language = /^\s*(\S*)/.exec(opening[3] ?? '')?.[1] ?? '';
    ({ box: this.box, lines: this.lines } = codeBox(language, '', options, false));
    this.rawText = opening[0];
  }

  /** The fence that a text opens but doesn't close; `null` if there is none. */
  static open(raw: string, options: MarkdownOptions): OpenFence | null {
    const opening = OPENING.exec(raw);
    if (opening === null) {
      return null;
    }
    const fence = new OpenFence(opening, options);
    return fence.append(raw.slice(opening[0].length)) === null ? fence : null;
  }

  /** The block's Markdown source. */
  get raw(): string {
    return this.rawText;
  }

  /** Appends text; returns what follows the end of the block, `null` if it is still open. */
  append(more: string): string | null {
    let rest = more;
    for (;;) {
      const end = rest.indexOf('\n');
      if (end < 0) {
        this.take(rest);
        this.showLine(false);
        return null;
      }
      this.take(rest.slice(0, end + 1));
      rest = rest.slice(end + 1);
      if (this.isClosing(this.line)) {
        return rest;
      }
      this.showLine(true);
    }
  }

  private take(piece: string): void {
    this.rawText += piece;
    this.line += piece;
  }

  private isClosing(line: string): boolean {
    const trimmed = line.trim();
    return (
      trimmed.length >= this.marker.length &&
      trimmed === (this.marker[0] ?? '').repeat(trimmed.length) &&
      /^ {0,3}\S/.test(line)
    );
  }

  private showLine(ended: boolean): void {
    const line = this.line.replace(/\n$/, '');
    // Don't show a line yet that may become the closing fence, or lose its indentation.
    if (!ended && new RegExp(`^ *${this.marker[0] ?? ''}*[ \\t]*$`).test(line)) {
      return;
    }
    const bare = line.replace(new RegExp(`^ {0,${this.indent}}`), '');
    if (this.shownOfLine === 0) {
      this.lines.append(this.empty ? '' : '\n');
      this.empty = false;
      this.lines.append(writtenOut(bare));
    } else {
      this.lines.append(writtenOut(bare.slice(this.shownOfLine)));
    }
    this.shownOfLine = ended ? 0 : bare.length;
    if (ended) {
      this.line = '';
    }
  }
}
