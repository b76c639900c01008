import { AnsiUp } from 'ansi_up';
import createPurifier, { type Config } from 'dompurify';

/** Most lines kept in the page. */
const MAX_LINES = 500;

const CONFIG = {
  ALLOWED_TAGS: ['span'],
  ALLOWED_ATTR: ['class', 'style'],
  RETURN_DOM_FRAGMENT: true,
} satisfies Config & { RETURN_DOM_FRAGMENT: true };

const purifier = createPurifier(window);

/** Coloured output of a command that grows at its end; lines that have ended stay as they are. */
export class TerminalText {
  /** Length of the text taken so far. */
  length = 0;
  private ansi = makeAnsi();
  private readonly live = document.createElement('span');
  private lastLine = '';
  private lines = 0;

  constructor(private readonly host: Element) {
    host.append(this.live);
  }

  append(text: string): void {
    this.length += text.length;
    const whole = this.lastLine + text;
    const end = whole.lastIndexOf('\n') + 1;
    const ended = lastLines(whole.slice(0, end));
    this.lastLine = whole.slice(end);
    if (ended !== '') {
      const line = document.createElement('span');
      line.append(render(this.ansi, overwritten(ended)));
      this.host.insertBefore(line, this.live);
      this.lines += ended.split('\n').length - 1;
      line.dataset.lines = String(ended.split('\n').length - 1);
      this.forgetOldest();
    }
    // Drawn with a copy of the colour state: the line may yet be overwritten.
    const ahead = Object.assign(makeAnsi(), this.ansi);
    this.live.replaceChildren(render(ahead, overwritten(this.lastLine)));
  }

  reset(): void {
    this.host.replaceChildren(this.live);
    this.live.replaceChildren();
    this.ansi = makeAnsi();
    this.length = 0;
    this.lastLine = '';
    this.lines = 0;
  }

  private forgetOldest(): void {
    let oldest = this.host.firstElementChild;
    while (this.lines > MAX_LINES && oldest instanceof HTMLElement && oldest !== this.live) {
      const count = Number(oldest.dataset.lines);
      if (this.lines - count < MAX_LINES / 2) {
        return;
      }
      this.lines -= count;
      const following = oldest.nextElementSibling;
      oldest.remove();
      oldest = following;
    }
  }
}

function makeAnsi(): AnsiUp {
  const ansi = new AnsiUp();
  ansi.use_classes = true;
  // No links from escape codes: the address would not be in sight.
  ansi.url_allowlist = {};
  return ansi;
}

function render(ansi: AnsiUp, text: string): DocumentFragment {
  return purifier.sanitize(ansi.ansi_to_html(text), CONFIG);
}

/** A carriage return starts its line again, as progress bars do. */
function overwritten(text: string): string {
  return text.includes('\r')
    ? text.replace(/\r+\n/g, '\n').replace(/[^\n]*\r(?=[^\n])/g, '')
    : text;
}

function lastLines(text: string): string {
  let at = text.length - 1;
  for (let count = 0; count < MAX_LINES && at >= 0; count += 1) {
    at = text.lastIndexOf('\n', at - 1);
  }
  return at > 0 ? text.slice(at + 1) : text;
}
