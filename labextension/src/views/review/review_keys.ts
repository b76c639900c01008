import { press } from '../user_events';
import { isTextField } from '../parts/keyboard';

/** Elements to decide on: each change, or a file as a whole. */
const HUNK = '[data-decide]';

const FILE = '[data-file]';

const KEEP = 'button[data-do=keep], [data-do=keep] button';

/** Of a change in a copy, to leave it there. */
const NOT_KEEP = '[data-do=revert] button, button[data-do=leave]';

/** Handles the keys of a review: j k change, J K file, y keep, n revert or leave, u undo, o open file, s side by side. */
export class ReviewKeys {
  #current = '';
  readonly #decided: string[] = [];

  constructor(private readonly root: HTMLElement) {}

  /** Notes the focused element, so that keys continue from there. */
  focused(target: EventTarget | null): void {
    const element = target instanceof Element ? target.closest(`${HUNK}, ${FILE}`) : null;
    this.#current = keyOf(element) ?? this.#current;
  }

  /** Notes what a click decided on, for Undo. */
  clicked(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest('[data-do]') : null;
    const key = keyOf(button?.closest(`${HUNK}, ${FILE}`) ?? null);
    if (key !== null && button?.getAttribute('data-do') !== 'undo') {
      this.#decided.push(key);
    }
  }

  handle(event: KeyboardEvent): boolean {
    const { target, key } = event;
    const element = target instanceof Element ? target : null;
    if (event.ctrlKey || event.altKey || event.metaKey || isTextField(element)) {
      return false;
    }
    if (element instanceof HTMLSelectElement) {
      return false;
    }
    switch (key) {
      case 'j':
        return this.#go(this.#beside(this.#targets(), 1));
      case 'k':
        return this.#go(this.#beside(this.#targets(), -1));
      case 'J':
        return this.#go(this.#beside(this.#files(), 1));
      case 'K':
        return this.#go(this.#beside(this.#files(), -1));
      case 'y':
        return this.#decide(KEEP);
      case 'n':
        return this.#decide(NOT_KEEP);
      case 'u':
        return this.#undo();
      case 'o':
        press(this.#element()?.closest(FILE)?.querySelector('header > .acp-opener'));
        return true;
      case 's':
        press(this.root.querySelector('[data-do=split]'));
        return true;
      default:
        return false;
    }
  }

  #decide(how: string): true {
    const now = this.#element();
    const own = now?.matches(HUNK) === true ? now : fileControls(now);
    if (now !== null && this.#targets().includes(now)) {
      press(own?.querySelector(how));
    }
    const open = this.#targets().filter(each => each.dataset['state'] === 'open' || each === now);
    this.#go(this.#beside(open, 1));
    return true;
  }

  #undo(): true {
    const key = this.#decided.pop() ?? this.#current;
    const element = this.#find(key);
    const own = element?.matches(HUNK) === true ? element : fileControls(element);
    this.#go(element);
    press(own?.querySelector('[data-do=undo] button'));
    return true;
  }

  #files(): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>(FILE)];
  }

  #targets(): HTMLElement[] {
    return this.#files().flatMap(file => {
      const hunks = [...file.querySelectorAll<HTMLElement>(HUNK)];
      return hunks.length > 0 ? hunks : [file];
    });
  }

  #find(key: string): HTMLElement | null {
    const all = [...this.root.querySelectorAll<HTMLElement>(`${HUNK}, ${FILE}`)];
    return all.find(each => keyOf(each) === key) ?? null;
  }

  #element(): HTMLElement | null {
    return this.#find(this.#current);
  }

  /** The next or previous element in the page; the first if there is no current one. */
  #beside(all: readonly HTMLElement[], step: 1 | -1): HTMLElement | null {
    const now = this.#element();
    if (now === null) {
      return all[0] ?? null;
    }
    const mask = step === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const beyond = all.filter(each => (now.compareDocumentPosition(each) & mask) !== 0);
    const others = step === 1 ? beyond : beyond.filter(each => !each.contains(now)).reverse();
    return others[0] ?? null;
  }

  #go(element: HTMLElement | null): true {
    if (element !== null) {
      this.#current = keyOf(element) ?? '';
      press(element.querySelector('[data-do=show]'));
      element.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'nearest' });
    }
    return true;
  }
}

/** The element with the controls of a whole file, without those of single changes. */
function fileControls(file: Element | null): Element | null {
  return file?.querySelector('[data-whole]') ?? null;
}

function keyOf(element: Element | null): string | null {
  return element instanceof HTMLElement ? (element.dataset['key'] ?? null) : null;
}
