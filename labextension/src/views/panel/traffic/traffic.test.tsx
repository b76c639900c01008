import { fireEvent, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../../tests/support/build';
import { element, IDLE, showPanel, storeOf, until, view } from '../../../../tests/support/panel';
import type { TrafficDetail, TrafficLine, TrafficPage } from '../../../wire/types';
import type { Actions, TrafficQuery } from '../../actions';
import { MAX_LINES, TrafficLog } from './traffic_log';

const SIZE = 100;

function line(number: number, over: Partial<TrafficLine> = {}): TrafficLine {
  return {
    place: (number - 1) * SIZE,
    seq: number,
    at: number,
    direction: '<',
    kind: 'notification',
    method: 'session/update',
    update: 'agent_message_chunk',
    size: SIZE,
    preview: `{"text": "${number}"}`,
    ...over,
  };
}

/** A log on a server: `passes` is its filter, `looks` how many lines it looks at for a page. */
class Log {
  readonly asked: TrafficQuery[] = [];

  constructor(
    public lines: TrafficLine[],
    private readonly looks = 100_000,
    private readonly passes: (line: TrafficLine, query: TrafficQuery) => boolean = () => true,
  ) {}

  readonly load = (query: TrafficQuery): Promise<TrafficPage> => {
    this.asked.push(query);
    const { after = null, before = null, limit = 200 } = query;
    const size = this.lines.length * SIZE;
    const from = (after ?? 0) / SIZE;
    const to = (before ?? size) / SIZE;
    const looked =
      after === null
        ? this.lines.slice(Math.max(0, to - this.looks), to)
        : this.lines.slice(from, from + this.looks);
    const found = looked.filter(each => this.passes(each, query));
    const given = after === null ? found.slice(-limit) : found.slice(0, limit);
    const cut = given.length < found.length;
    const [first, last] = cut
      ? [given[0], given[given.length - 1]]
      : [looked[0], looked[looked.length - 1]];
    return Promise.resolve({
      lines: given,
      start: after ?? first?.place ?? 0,
      end: after === null ? (before ?? size) : last === undefined ? after : last.place + SIZE,
      size,
    });
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => line(index + 1));

const seqs = (reel: TrafficLog) => reel.lines.map(each => each.seq);

const ALL = { direction: null, method: '', text: '' } as const;

describe('the reel of lines', () => {
  it('begins with the newest and goes back to the first', async () => {
    const log = new Log(numbers(450));
    const reel = new TrafficLog(log.load, ALL, () => undefined);
    await reel.newest();
    expect(seqs(reel)).toEqual(
      numbers(450)
        .slice(250)
        .map(each => each.seq),
    );
    await reel.older();
    await reel.older();
    expect(seqs(reel)).toEqual(numbers(450).map(each => each.seq));
    expect(reel.start).toBe(0);
    const asked = log.asked.length;
    await reel.older();
    expect(log.asked).toHaveLength(asked);
  });

  it('takes what has come since, each line once', async () => {
    const log = new Log(numbers(3));
    const reel = new TrafficLog(log.load, ALL, () => undefined);
    await reel.newest();
    log.lines = numbers(700);
    await reel.newer();
    expect(seqs(reel)).toEqual(log.lines.map(each => each.seq));
    await reel.newer();
    expect(reel.lines).toHaveLength(700);
  });

  it('never holds more than some thousands, and finds back to the end', async () => {
    const log = new Log(numbers(5000));
    const reel = new TrafficLog(log.load, ALL, () => undefined);
    await reel.newest();
    while (reel.start > 0) {
      await reel.older();
      expect(reel.lines.length).toBeLessThanOrEqual(MAX_LINES);
    }
    expect(seqs(reel)[0]).toBe(1);
    expect(reel.atEnd).toBe(false);
    while (!reel.atEnd) {
      await reel.newer();
      expect(reel.lines.length).toBeLessThanOrEqual(MAX_LINES);
    }
    expect(seqs(reel).pop()).toBe(5000);
    const all = seqs(reel);
    expect(all).toEqual(all.map((_, index) => (all[0] ?? 0) + index));
  });

  it('looks back in bounded steps where a filter lets little pass', async () => {
    const log = new Log(numbers(1000), 100, ({ seq }) => seq === 5);
    const reel = new TrafficLog(log.load, { ...ALL, text: 'x' }, () => undefined);
    await reel.newest();
    expect(log.asked).toHaveLength(5);
    expect([reel.lines.length, reel.start]).toEqual([0, 500 * SIZE]);
    await reel.older();
    await reel.older();
    expect(seqs(reel)).toEqual([5]);
    expect(reel.start).toBe(0);
  });

  it('says why it could not read, and asks one thing at a time', async () => {
    const load = vi.fn(() => Promise.reject<TrafficPage>(new Error('Not yours.')));
    const reel = new TrafficLog(load, ALL, () => undefined);
    await Promise.all([reel.newest(), reel.newer(), reel.older()]);
    expect(load).toHaveBeenCalledTimes(1);
    expect(reel.failure).toBe('Not yours.');
  });
});

describe('the traffic viewer', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  function open(log: Log, over: Partial<Actions> = {}): void {
    const detail = (place: number): TrafficDetail => ({
      place,
      text: `{\n  "place": ${place}\n}`,
      cut: false,
    });
    showPanel(
      { store: storeOf([], IDLE), agents: [] },
      {
        traffic: (_, query) => log.load(query),
        trafficLine: (_, place) => Promise.resolve(detail(place)),
        ...over,
      },
    );
    fireEvent.click(view().getByRole('button', { name: 'More' }));
    fireEvent.click(view().getByRole('menuitem', { name: 'Traffic' }));
  }
  const shown = () =>
    within(view().getByRole('listbox', { name: 'Lines' })).queryAllByRole('option');

  it('mounts some lines of many, named for screen readers', async () => {
    open(new Log(numbers(900)));
    await until(() => expect(shown().length).toBeGreaterThan(10));
    expect(shown().length).toBeLessThan(80);
    const first = shown()[0];
    expect(first?.textContent).toContain('From the agentagent_message_chunk');
    expect(first?.getAttribute('aria-setsize')).toBe('200');
    expect(element().querySelector('.acp-traffic-foot')?.textContent).toBe(
      '200 lines · 23% of the log',
    );
  });

  it('writes a line out when it is chosen, by click and by key', async () => {
    const copy = vi.fn(() => Promise.resolve());
    open(new Log([line(1), line(2, { kind: 'error', method: 'session/prompt', update: '' })]), {
      copy,
    });
    await until(() => expect(shown()).toHaveLength(2));
    fireEvent.click(view().getByRole('option', { name: /agent_message_chunk/ }));
    const box = () => view().getByRole('region', { name: /^Line/ });
    await until(() => expect(within(box()).getByRole('group').textContent).toContain('"place": 0'));
    const list = view().getByRole('listbox', { name: 'Lines' });
    fireEvent.keyDown(list, { key: 'End' });
    await until(() => expect(box().getAttribute('aria-label')).toBe('Line 2'));
    expect(shown()[1]?.getAttribute('aria-selected')).toBe('true');
    expect(list.getAttribute('aria-activedescendant')).toBe(shown()[1]?.id);
    expect(box().textContent).toContain('error · session/prompt');
    await until(() => within(box()).getByRole('button', { name: 'Copy' }));
    fireEvent.click(within(box()).getByRole('button', { name: 'Copy' }));
    expect(copy).toHaveBeenCalledExactlyOnceWith('{\n  "place": 100\n}');
    fireEvent.keyDown(list, { key: 'Escape' });
    await until(() => expect(view().queryByRole('region', { name: /^Line/ })).toBeNull());
  });

  it('asks the server for what the filters say', async () => {
    const log = new Log(numbers(3), 1000, (_, { text }) => text !== 'nothing');
    open(log);
    await until(() => expect(shown()).toHaveLength(3));
    fireEvent.change(view().getByRole('combobox', { name: 'Direction' }), {
      target: { value: '>' },
    });
    fireEvent.input(view().getByRole('searchbox', { name: 'Text' }), {
      target: { value: 'nothing' },
    });
    fireEvent.input(view().getByRole('searchbox', { name: 'Method' }), {
      target: { value: 'prompt' },
    });
    await until(() =>
      expect(log.asked.pop()).toMatchObject({ direction: '>', text: 'nothing', method: 'prompt' }),
    );
    await until(() => expect(view().getByText('Nothing found.')).toBeTruthy());
  });

  it('keeps what is chosen at the moment when what was typed is looked for', async () => {
    vi.useFakeTimers();
    const log = new Log(numbers(1));
    open(log);
    await vi.waitFor(() => expect(shown()).toHaveLength(1));
    fireEvent.input(view().getByRole('searchbox', { name: 'Method' }), {
      target: { value: 'prompt' },
    });
    await vi.advanceTimersByTimeAsync(200);
    const direction = view().getByRole<HTMLSelectElement>('combobox', { name: 'Direction' });
    direction.value = '>';
    // Without a pause in which the page could be drawn.
    direction.dispatchEvent(new Event('change', { bubbles: true }));
    vi.advanceTimersByTime(100);
    await vi.waitFor(() =>
      expect(log.asked[log.asked.length - 1]).toMatchObject({ direction: '>', method: 'prompt' }),
    );
  });

  it('follows what comes until it is paused', async () => {
    vi.useFakeTimers();
    const log = new Log(numbers(1));
    open(log);
    await vi.waitFor(() => expect(shown()).toHaveLength(1));
    log.lines = numbers(2);
    await vi.advanceTimersByTimeAsync(1100);
    expect(shown()).toHaveLength(2);
    fireEvent.click(view().getByRole('button', { name: 'Pause' }));
    await vi.advanceTimersByTimeAsync(50);
    const asked = log.asked.length;
    log.lines = numbers(3);
    await vi.advanceTimersByTimeAsync(5000);
    expect([shown().length, log.asked.length]).toEqual([2, asked]);
    expect(element().querySelector('.acp-traffic-foot')?.textContent).toBe('2 lines · paused');
  });

  it('says that there is nothing yet once the filter was cleared', async () => {
    open(new Log([]));
    const text = view().getByRole('searchbox', { name: 'Text' });
    fireEvent.input(text, { target: { value: 'nothing' } });
    await until(() => expect(view().getByText('Nothing found.')).toBeTruthy());
    fireEvent.input(text, { target: { value: '' } });
    await until(() => expect(view().getByText('No lines yet.')).toBeTruthy());
  });

  it('exports, says why it failed, and goes back', async () => {
    const exportSession = vi.fn(() => Promise.reject(new Error('The disk is full.')));
    open(new Log([]), { exportSession });
    await until(() => expect(view().getByText('No lines yet.')).toBeTruthy());
    fireEvent.click(view().getByRole('button', { name: 'Export' }));
    expect(exportSession).toHaveBeenCalledExactlyOnceWith(SESSION, 'traffic');
    await until(() => expect(view().getByText('The disk is full.')).toBeTruthy());
    fireEvent.click(view().getByRole('button', { name: 'Back to the session' }));
    await until(() => expect(view().getByRole('log')).toBeTruthy());
  });
});
