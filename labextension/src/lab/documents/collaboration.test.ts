import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { LostChanges } from './collaboration';
import type { Transaction } from './collaboration';
import { mergeTexts } from './merge/text_edits';

const [ME, ANOTHER, SERVER] = [7, 9, 1];

/** A shared text, as a page knows it. */
class Text {
  source: string;
  #known: string;
  readonly people = new Map<number, unknown>([[ME, { user: {} }]]);
  readonly #deeds = new Map<string, (transaction: Transaction) => void>();

  constructor(source: string) {
    this.source = this.#known = source;
    this.people.set(SERVER, {});
  }

  readonly ydoc = {
    clientID: ME,
    on: (name: string, deed: (transaction: Transaction) => void) =>
      void this.#deeds.set(name, deed),
    off: (name: string) => void this.#deeds.delete(name),
  };
  readonly awareness = { getStates: () => this.people };

  capture() {
    const [base, mine] = [this.#known, this.source];
    return () => {
      this.#known = this.source;
      return () => {
        const theirs = this.source;
        const merged = mergeTexts(base, mine, theirs);
        this.source = merged ?? mine;
        return merged === null ? [{ id: '', theirs }] : [];
      };
    };
  }

  /** Somebody changes the text. */
  async become(source: string, author: number) {
    const transaction = {
      local: author === ME,
      beforeState: new Map([[author, 1]]),
      afterState: new Map([[author, 2]]),
    };
    this.#deeds.get('beforeTransaction')?.(transaction);
    this.source = source;
    this.#deeds.get('afterTransaction')?.(transaction);
    await vi.advanceTimersByTimeAsync(350);
  }
}

function watch(text: Text) {
  const told = vi.fn();
  const overwriting = new LostChanges(text, text, told);
  overwriting.watch();
  return told;
}

describe('Overwriting', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('brings back what was typed when the server loads the file', async () => {
    const text = new Text('one\ntwo\n');
    const told = watch(text);
    await text.become('one\ntwo\ntyped\n', ME);
    await text.become('ONE\ntwo\n', SERVER);
    expect(text.source).toBe('ONE\ntwo\ntyped\n');
    expect(told).not.toHaveBeenCalled();
  });

  it('leaves alone what people take away', async () => {
    const text = new Text('one\ntwo\n');
    text.people.set(ANOTHER, { user: {} });
    watch(text);
    await text.become('one\ntwo\ntyped\n', ME);
    await text.become('one\ntwo\n', ANOTHER);
    expect(text.source).toBe('one\ntwo\n');
  });

  it('leaves it to the page before it, unless that does nothing', async () => {
    const text = new Text('one\ntwo\n');
    text.people.set(ME - 1, { user: {} });
    watch(text);
    await text.become('one\ntwo\ntyped\n', ME);
    await text.become('ONE\ntwo\n', SERVER);
    expect(text.source).toBe('ONE\ntwo\n');
    await text.become('ONE\ntwo\ntyped\n', ME - 1);
    expect(text.source).toBe('ONE\ntwo\ntyped\n');
    await text.become('UNO\ntwo\n', SERVER);
    await vi.advanceTimersByTimeAsync(350);
    expect(text.source).toBe('UNO\ntwo\ntyped\n');
  });

  it('keeps what was typed where both changed the same, and says so', async () => {
    const text = new Text('one\n');
    const told = watch(text);
    await text.become('typed\n', ME);
    await text.become('theirs\n', SERVER);
    expect(text.source).toBe('typed\n');
    expect(told).toHaveBeenCalledWith([{ id: '', theirs: 'theirs\n' }]);
  });

  it('stops when no agent has been at work for a while', async () => {
    const text = new Text('one\ntwo\n');
    watch(text);
    vi.advanceTimersByTime(20_000);
    await text.become('one\ntwo\ntyped\n', ME);
    await text.become('one\ntwo\n', SERVER);
    expect(text.source).toBe('one\ntwo\n');
  });
});
