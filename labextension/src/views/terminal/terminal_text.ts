import { AnsiUp } from 'ansi_up';
import createPurifier from 'dompurify';
import type { Config } from 'dompurify';

import { markControls } from '../parts/odd_characters';
import { ROWS, TerminalScreen } from './terminal_screen';

/** Most lines kept in the page. */
const MAX_LINES = 500;

/** Length of the end of a long text that is parsed. */
const MAX_READ = 512 * 1024;

const CONFIG = {
  ALLOWED_TAGS: ['span'],
  ALLOWED_ATTR: ['class', 'style'],
  RETURN_DOM_FRAGMENT: true,
} satisfies Config & { RETURN_DOM_FRAGMENT: true };

const purifier = createPurifier(window);

/** Draws growing coloured output; lines that have scrolled off the screen are not drawn again. */
export class TerminalText {
  /** Length of the text so far. */
  length = 0;
  private screen = new TerminalScreen();
  private readonly live = document.createElement('span');
  private lines = 0;

  /** `onCut` is called when the beginning is no longer in the page. */
  constructor(
    private readonly host: Element,
    private readonly onCut: () => void = () => undefined,
  ) {
    host.append(this.live);
  }

  append(text: string): void {
    this.length += text.length;
    const read = end(text);
    const written = this.screen.write(read);
    const finished = written.slice(ROWS - MAX_LINES);
    if (finished.length < written.length || read.length < text.length) {
      this.onCut();
    }
    if (finished.length > 0) {
      const lines = document.createElement('span');
      lines.append(render(`${finished.join('\n')}\n`));
      lines.dataset.lines = String(finished.length);
      this.host.insertBefore(lines, this.live);
      this.lines += finished.length;
      this.forgetOldest();
    }
    this.live.replaceChildren(render(this.screen.live().join('\n')));
  }

  reset(): void {
    this.host.replaceChildren(this.live);
    this.live.replaceChildren();
    this.screen = new TerminalScreen();
    this.length = 0;
    this.lines = 0;
  }

  private forgetOldest(): void {
    let oldest = this.host.firstElementChild;
    while (this.lines + ROWS > MAX_LINES && oldest instanceof HTMLElement && oldest !== this.live) {
      const count = Number(oldest.dataset.lines);
      if (this.lines - count < MAX_LINES / 2) {
        return;
      }
      this.lines -= count;
      const following = oldest.nextElementSibling;
      oldest.remove();
      this.onCut();
      oldest = following;
    }
  }
}

/** Converts text with escape codes into sanitised, coloured elements. */
export function render(text: string): DocumentFragment {
  const ansi = new AnsiUp();
  ansi.use_classes = true;
  // No links from escape codes, since their address would not be visible.
  ansi.url_allowlist = {};
  const shown = purifier.sanitize(ansi.ansi_to_html(text), CONFIG);
  markControls(shown);
  return shown;
}

/** The end of a text, starting at a line. */
function end(text: string): string {
  if (text.length <= MAX_READ) {
    return text;
  }
  const start = text.length - MAX_READ;
  return text.slice(text.indexOf('\n', start) + 1 || start);
}
