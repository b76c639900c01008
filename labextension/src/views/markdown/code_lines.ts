/** Lines that are laid out together; longer code has several such parts. */
const LINES = 200;

/** The text of a code block. Appending lays out only the last part. */
export class CodeLines {
  private text = document.createTextNode('');
  /** Number of ended lines in the last part. */
  private lines = 0;

  constructor(
    private readonly code: HTMLElement,
    source: string,
  ) {
    code.append(this.text);
    this.append(source);
  }

  append(text: string): void {
    let from = 0;
    while (from < text.length) {
      if (this.lines === LINES) {
        this.begin();
      }
      const end = this.endOfPart(text, from);
      this.text.appendData(text.slice(from, end));
      from = end;
    }
  }

  /** Offset at which the last part is full, or the text ends; counts the lines up to there. */
  private endOfPart(text: string, from: number): number {
    let end = from;
    while (this.lines < LINES) {
      const next = text.indexOf('\n', end) + 1;
      if (next === 0) {
        return text.length;
      }
      end = next;
      this.lines += 1;
    }
    return end;
  }

  private begin(): void {
    if (this.text.parentNode === this.code) {
      this.code.append(part(this.text));
    }
    this.text = document.createTextNode('');
    this.code.append(part(this.text));
    this.lines = 0;
  }
}

function part(text: Text): HTMLElement {
  const lines = document.createElement('span');
  lines.className = 'acp-lines';
  lines.append(text);
  return lines;
}
