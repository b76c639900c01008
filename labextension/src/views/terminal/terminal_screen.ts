/** Lines of the screen, which a program can still change; the host's terminal has as many. */
export const ROWS = 30;

/** Longer lines are wrapped, so that the cost of drawing one is bounded. */
const MAX_COLUMNS = 4_000;

/** Longer escape sequences are ignored. */
const MAX_SEQUENCE = 4_096;

const MAX_COLOURS = 16;

const SEQUENCE =
  // eslint-disable-next-line no-control-regex
  /^\x1b(?:\[([0-?]*)[ -?]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()*+#%][\s\S]|[^[\]()*+#%])/;

const BEGUN =
  // eslint-disable-next-line no-control-regex
  /^\x1b(?:\[[ -?]*|\][^\x07\x1b]*\x1b?|[()*+#%])?$/;

// eslint-disable-next-line no-control-regex
const PLAIN = /[^\x00-\x1f\x7f]+/y;

/** One line: its characters, and the colours of each. */
class Row {
  readonly characters: string[] = [];
  readonly colours: string[] = [];

  write(at: number, text: string, colour: string): number {
    // Most output is ASCII, and needs no splitting into whole characters.
    let column = at;
    this.fill(at);
    for (const character of text) {
      this.characters[column] = character;
      this.colours[column] = colour;
      column += 1;
    }
    return column;
  }

  erase(from: number, to: number): void {
    if (to >= this.characters.length) {
      this.characters.length = Math.min(this.characters.length, from);
      this.colours.length = this.characters.length;
      return;
    }
    for (let column = from; column < to; column += 1) {
      this.characters[column] = ' ';
      this.colours[column] = '';
    }
  }

  /** The line with its colours as escape codes, reset at its end. */
  toString(): string {
    let text = '';
    let colour = '';
    this.characters.forEach((character, column) => {
      const own = this.colours[column] ?? '';
      if (own !== colour) {
        text += colour === '' ? own : `\x1b[0m${own}`;
        colour = own;
      }
      text += character;
    });
    return colour === '' ? text : `${text}\x1b[0m`;
  }

  private fill(to: number): void {
    while (this.characters.length < to) {
      this.characters.push(' ');
      this.colours.push('');
    }
  }
}

/**
 * The screen of a terminal after some output, line by line.
 *
 * It has only what output needs that is read later: it moves the cursor and erases, for progress
 * bars. Lines that have scrolled off the screen never change again.
 */
export class TerminalScreen {
  private rows: Row[] = [new Row()];
  private row = 0;
  private column = 0;
  private colours: readonly string[] = [];
  private colour = '';
  private unread = '';
  private finished: string[] = [];

  /** Writes output; returns the lines that have scrolled off the screen. */
  write(output: string): readonly string[] {
    const text = this.unread + output;
    this.unread = '';
    let at = 0;
    while (at < text.length) {
      PLAIN.lastIndex = at;
      const plain = PLAIN.exec(text)?.[0];
      if (plain !== undefined) {
        this.put(plain);
        at += plain.length;
      } else if (text[at] === '\x1b') {
        const rest = text.slice(at, at + MAX_SEQUENCE);
        const [whole, parameters, final] = SEQUENCE.exec(rest) ?? [];
        if (whole !== undefined) {
          this.obey(final ?? '', parameters ?? '');
          at += whole.length;
        } else if (rest.length < MAX_SEQUENCE && BEGUN.test(rest)) {
          this.unread = rest;
          break;
        } else {
          at += 1;
        }
      } else {
        this.control(text.charAt(at));
        at += 1;
      }
    }
    const finished = this.finished;
    this.finished = [];
    return finished;
  }

  /** The lines on the screen; the last is empty after a line end. */
  live(): readonly string[] {
    return this.rows.map(String);
  }

  /** The row of the cursor, created if needed. */
  private here(): Row {
    let row = this.rows[this.row];
    while (row === undefined) {
      this.rows.push(new Row());
      row = this.rows[this.row];
    }
    return row;
  }

  private put(text: string): void {
    let rest = text;
    while (this.column + rest.length > MAX_COLUMNS) {
      // Surrogate pairs are not split.
      let room = Math.max(0, MAX_COLUMNS - this.column);
      if (/[\ud800-\udbff]/.test(rest.charAt(room - 1))) {
        room -= 1;
      }
      this.here().write(this.column, rest.slice(0, room), this.colour);
      rest = rest.slice(room);
      this.nextLine();
    }
    this.column = this.here().write(this.column, rest, this.colour);
  }

  private control(character: string): void {
    switch (character) {
      case '\n':
      case '\v':
      case '\f':
        this.nextLine();
        break;
      case '\r':
        this.column = 0;
        break;
      case '\b':
        this.column = Math.max(0, this.column - 1);
        break;
      case '\t':
        this.column = Math.min(this.column - (this.column % 8) + 8, MAX_COLUMNS);
        break;
      default: // a bell, or an invisible control
    }
  }

  private nextLine(): void {
    this.column = 0;
    this.row += 1;
    this.here();
    if (this.row >= ROWS) {
      this.finish(1);
    }
  }

  /** Scrolls the first lines off the screen. */
  private finish(count: number): void {
    this.finished.push(...this.rows.splice(0, count).map(String));
    this.row = Math.max(0, this.row - count);
  }

  private obey(final: string, parameters: string): void {
    const [first = 0, second = 0] = parameters.split(';').map(Number);
    const count = Math.min(Math.max(1, first || 1), MAX_COLUMNS);
    switch (final) {
      case 'A':
        this.row = Math.max(0, this.row - count);
        break;
      case 'B':
        this.row = Math.min(this.rows.length - 1, this.row + count);
        break;
      case 'C':
        this.column = Math.min(this.column + count, MAX_COLUMNS);
        break;
      case 'D':
        this.column = Math.max(0, this.column - count);
        break;
      case 'E':
      case 'F':
        this.column = 0;
        this.obey(final === 'E' ? 'B' : 'A', parameters);
        break;
      case 'G':
        this.column = count - 1;
        break;
      case 'H':
      case 'f':
        this.row = Math.min(count, ROWS) - 1;
        this.column = Math.min(Math.max(1, second || 1), MAX_COLUMNS) - 1;
        break;
      case 'J':
        this.eraseScreen(first);
        break;
      case 'K':
        this.eraseLine(first);
        break;
      case 'm':
        this.recolour(parameters);
        break;
      default: // sequences that do not change text
    }
  }

  private eraseScreen(how: number): void {
    if (how === 0) {
      this.rows.splice(this.row + 1);
      this.eraseLine(0);
    } else if (how === 2 && this.rows.some(row => row.characters.length > 0)) {
      // As in a terminal with scrollback, the erased lines stay readable above.
      while (this.rows[this.rows.length - 1]?.characters.length === 0) {
        this.rows.pop();
      }
      const { row } = this;
      this.finish(this.rows.length);
      this.row = row;
      this.here();
    }
  }

  private eraseLine(how: number): void {
    const end = this.here().characters.length;
    this.here().erase(how === 0 ? this.column : 0, how === 1 ? this.column + 1 : end);
  }

  private recolour(parameters: string): void {
    const codes = parameters.split(/[;:]/);
    let from = 0;
    for (let at = 0; at < codes.length; at += 1) {
      if (codes[at] === '38' || codes[at] === '48') {
        at += codes[at + 1] === '5' ? 2 : 4;
      } else if (Number(codes[at]) === 0) {
        this.colours = [];
        from = at + 1;
      }
    }
    const own = codes.slice(from);
    if (own.length > 0) {
      this.colours = [...this.colours, `\x1b[${own.join(';')}m`].slice(-MAX_COLOURS);
    }
    this.colour = this.colours.join('');
  }
}
