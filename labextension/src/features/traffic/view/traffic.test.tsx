import { fireEvent, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../../tests/support/build';
import { IDLE, showPanel, storeOf } from '../../../../tests/support/panel';
import { until } from '../../../../tests/support/wait';
import type { TrafficDetail, TrafficLine, TrafficPage } from '../../../wire/types';
import { Additions } from '../../../views/additions';
import type { Mounted } from '../../../views/props';
import { mountTraffic } from './traffic';
import type { TrafficProps } from './traffic';
import { trafficItem } from '../menu_item';
import { MAX_LINES, TrafficLog } from './traffic_log';
import type { TrafficQuery } from './traffic_log';

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
    stream: '',
    count: 1,
    ...over,
  };
}

/**
 * A log on a server: `passes` is its filter, `looks` the number of lines it looks at for a page.
 */
class Log {
  readonly asked: TrafficQuery[] = [];

  constructor(
    public lines: TrafficLine[],
    private readonly looks = 100_000,
    private readonly passes: (line: TrafficLine, query: TrafficQuery) => boolean = () => true,
  ) {}

  #waiting: (() => void) | null = null;

  /** Adds lines, and answers requests that wait for them. */
  grow(lines: TrafficLine[]): void {
    this.lines = lines;
    this.#waiting?.();
    this.#waiting = null;
  }

  readonly load = async (query: TrafficQuery): Promise<TrafficPage> => {
    this.asked.push(query);
    if (query.wait_seconds !== undefined && query.after === this.lines.length * SIZE) {
      await new Promise<void>(done => {
        this.#waiting = done;
      });
    }
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
    return {
      lines: query.gather === true ? gathered(given) : given,
      start: after ?? first?.place ?? 0,
      end: after === null ? (before ?? size) : last === undefined ? after : last.place + SIZE,
      size,
    };
  };
}

/** As the server does it. */
function gathered(lines: TrafficLine[]): TrafficLine[] {
  const found: TrafficLine[] = [];
  for (const each of lines) {
    const last = found[found.length - 1];
    if (last === undefined || each.stream === '' || last.stream !== each.stream) {
      found.push(each);
    } else {
      const [count, size] = [last.count + 1, last.size + each.size];
      found[found.length - 1] = { ...last, count, size, preview: last.preview + each.preview };
    }
  }
  return found;
}

/** Chunks of one answer, each with its number as its text. */
const chunks = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    line(from + index, { stream: 'answer', preview: `${from + index} ` }),
  );

const numbers = (count: number) => Array.from({ length: count }, (_, index) => line(index + 1));

const seqs = (reel: TrafficLog) => reel.lines.map(each => each.seq);

// Typed text is searched after a pause, and new lines are gathered for a while.
beforeEach(() => void vi.useFakeTimers());

afterEach(() => void vi.useRealTimers());

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

describe('gathered chunks', () => {
  it('are one line, also over the seam of two pages', async () => {
    const log = new Log([line(1), ...chunks(2, 450), line(451)]);
    const reel = new TrafficLog(log.load, ALL, () => undefined);
    await reel.newest();
    await reel.older();
    await reel.older();
    expect(reel.rows.map(({ line: { count }, open }) => [count, open])).toEqual([
      [1, null],
      [449, false],
      [1, null],
    ]);
    expect(reel.rows[1]?.line).toMatchObject({ place: SIZE, size: 449 * SIZE });
    expect(reel.rows[1]?.line.preview.length).toBeLessThanOrEqual(240);
  });

  it('are shown one by one, some at a time, and folded again', async () => {
    const log = new Log([...chunks(1, 250), line(251)]);
    const reel = new TrafficLog(log.load, ALL, () => undefined);
    await reel.newest();
    await reel.older();
    const [row] = reel.rows;
    if (row === undefined) {
      throw new Error('no rows');
    }
    await reel.open(row.line);
    expect(reel.rows).toHaveLength(1 + 200 + 1 + 1);
    expect(reel.rows[201]).toMatchObject({ rest: 50, parent: row.key });
    await reel.open(row.line);
    expect(reel.rows).toHaveLength(1 + 250 + 1);
    expect(new Set(reel.rows.map(({ key }) => key)).size).toBe(252);
    reel.close(row.line);
    expect(reel.rows).toHaveLength(2);
  });

  it('grow while they come, with one request that waits', async () => {
    const log = new Log(chunks(1, 3));
    const reel = new TrafficLog(log.load, ALL, () => undefined);
    await reel.newest();
    reel.live = true;
    log.grow(chunks(1, 5));
    await until(() => expect(reel.rows.map(row => row.line.count)).toEqual([5]));
    await until(() => expect(log.asked).toHaveLength(3));
    expect(log.asked[2]).toMatchObject({ after: 5 * SIZE, wait_seconds: 20 });
    reel.live = false;
    log.grow(chunks(1, 6));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([log.asked.length, reel.lines[0]?.count]).toEqual([3, 5]);
    reel.dispose();
  });
});

let mounts: Mounted<TrafficProps> | null = null;

const view = () => within(document.body);

describe('the traffic viewer', () => {
  afterEach(() => {
    mounts?.dispose();
    document.body.replaceChildren();
  });

  function open(log: Log, over: Partial<TrafficProps['actions']> = {}): Mounted<TrafficProps> {
    const detail = (place: number, end: number | null): TrafficDetail => ({
      place,
      text: end === null ? `{\n  "place": ${place}\n}` : `text to ${end}`,
      cut: false,
    });
    const element = document.createElement('div');
    document.body.append(element);
    mounts = mountTraffic(element, {
      sessionId: SESSION,
      title: 'Look at this',
      live: true,
      actions: {
        traffic: (_, query) => log.load(query),
        trafficLine: (_, place, end) => Promise.resolve(detail(place, end)),
        ...over,
      },
    });
    return mounts;
  }
  const shown = () =>
    within(view().getByRole('tree', { name: 'Lines' })).queryAllByRole('treeitem');

  it('mounts some lines of many, named for screen readers', async () => {
    open(new Log(numbers(900)));
    await until(() => expect(shown().length).toBeGreaterThan(10));
    expect(shown().length).toBeLessThan(80);
    const first = shown()[0];
    expect(first?.textContent).toContain('From the agentagent_message_chunk');
    expect(first?.getAttribute('aria-setsize')).toBe('200');
    expect(document.querySelector('.acp-traffic-foot')?.textContent).toBe(
      '200 lines · 23% of the log',
    );
  });

  it('writes a line out when it is chosen, by click and by key', async () => {
    const copy = vi.fn(() => Promise.resolve());
    open(new Log([line(1), line(2, { kind: 'error', method: 'session/prompt', update: '' })]), {
      copy,
    });
    await until(() => expect(shown()).toHaveLength(2));
    fireEvent.click(view().getByRole('treeitem', { name: /agent_message_chunk/ }));
    const box = () => view().getByRole('region', { name: /^Line/ });
    await until(() => expect(within(box()).getByRole('group').textContent).toContain('"place": 0'));
    const list = view().getByRole('tree', { name: 'Lines' });
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
    const log = new Log(numbers(1));
    open(log);
    await until(() => expect(shown()).toHaveLength(1));
    fireEvent.input(view().getByRole('searchbox', { name: 'Method' }), {
      target: { value: 'prompt' },
    });
    await vi.advanceTimersByTimeAsync(200);
    const direction = view().getByRole<HTMLSelectElement>('combobox', { name: 'Direction' });
    direction.value = '>';
    // With no pause in which the page could be drawn.
    direction.dispatchEvent(new Event('change', { bubbles: true }));
    vi.advanceTimersByTime(100);
    await until(() =>
      expect(log.asked[log.asked.length - 1]).toMatchObject({ direction: '>', method: 'prompt' }),
    );
  });

  it('follows what comes until it is paused or hidden, and rests meanwhile', async () => {
    const log = new Log(numbers(1));
    const viewer = open(log);
    await until(() => expect(shown()).toHaveLength(1));
    await until(() => expect(log.asked).toHaveLength(2));
    log.grow(numbers(2));
    await until(() => expect(shown()).toHaveLength(2));
    await vi.advanceTimersByTimeAsync(60_000);
    // One waiting request, and no timer.
    expect([log.asked.length, vi.getTimerCount()]).toEqual([3, 0]);
    fireEvent.click(view().getByRole('button', { name: 'Pause' }));
    await vi.advanceTimersByTimeAsync(50);
    log.grow(numbers(3));
    await vi.advanceTimersByTimeAsync(5000);
    expect([shown().length, log.asked.length]).toEqual([2, 3]);
    expect(document.querySelector('.acp-traffic-foot')?.textContent).toBe('2 lines · paused');
    fireEvent.click(view().getByRole('button', { name: 'Pause' }));
    await until(() => expect(shown()).toHaveLength(3));
    viewer.dispose();
  });

  it('opens gathered chunks by key and by click, and shows their text', async () => {
    open(new Log([line(1, { update: 'plan' }), ...chunks(2, 5), line(6, { update: 'plan' })]));
    await until(() => expect(shown()).toHaveLength(3));
    const list = view().getByRole('tree', { name: 'Lines' });
    expect(shown()[1]?.textContent).toContain('agent_message_chunk ×42 3 4 5 ');
    expect(shown()[1]?.getAttribute('aria-expanded')).toBe('false');
    const press = (key: string) => fireEvent.keyDown(list, { key });
    press('Home');
    await until(() => expect(shown()[0]?.getAttribute('aria-selected')).toBe('true'));
    press('ArrowDown');
    const box = await until(() => view().getByRole('region', { name: 'Lines 2–5' }));
    await until(() => expect(box.textContent).toContain('text to 500'));
    press('ArrowRight');
    await until(() => expect(shown()).toHaveLength(7));
    expect(shown()[2]?.getAttribute('aria-level')).toBe('2');
    press('ArrowRight');
    await until(() => view().getByRole('region', { name: 'Line 2' }));
    press('ArrowLeft');
    await until(() => view().getByRole('region', { name: 'Lines 2–5' }));
    press('ArrowLeft');
    await until(() => expect(shown()).toHaveLength(3));
    const twist = shown()[1]?.querySelector('.twist');
    fireEvent.click(twist ?? list);
    await until(() => expect(shown()).toHaveLength(7));
  });

  it('says that there is nothing yet once the filter was cleared', async () => {
    open(new Log([]));
    const text = view().getByRole('searchbox', { name: 'Text' });
    fireEvent.input(text, { target: { value: 'nothing' } });
    await until(() => expect(view().getByText('Nothing found.')).toBeTruthy());
    fireEvent.input(text, { target: { value: '' } });
    await until(() => expect(view().getByText('No lines yet.')).toBeTruthy());
  });

  it('exports, and says why it failed', async () => {
    const exportSession = vi.fn(() => Promise.reject(new Error('The disk is full.')));
    open(new Log([]), { exportSession });
    await until(() => expect(view().getByText('No lines yet.')).toBeTruthy());
    fireEvent.click(view().getByRole('button', { name: 'Export' }));
    expect(exportSession).toHaveBeenCalledExactlyOnceWith(SESSION, 'traffic');
    await until(() => expect(view().getByText('The disk is full.')).toBeTruthy());
  });

  it('loads, says why it can not, and tries again', async () => {
    const log = new Log(numbers(2));
    let fails = true;
    open(log, {
      traffic: (_, query) =>
        fails ? Promise.reject(new Error('There is no such session.')) : log.load(query),
    });
    expect(view().getByText('Loading the traffic')).toBeTruthy();
    await until(() => expect(view().getByText('There is no such session.')).toBeTruthy());
    fails = false;
    fireEvent.click(view().getByRole('button', { name: 'Try again' }));
    await until(() => expect(shown()).toHaveLength(2));
    expect(view().queryByText('There is no such session.')).toBeNull();
  });
});

describe('the menu of the panel', () => {
  it('opens the traffic of its session', () => {
    const openTraffic = vi.fn();
    const additions = new Additions().add({ sessionMenu: trafficItem(openTraffic) });
    showPanel({ store: storeOf([], IDLE), agents: [] }, { additions });
    fireEvent.click(view().getByRole('button', { name: 'More' }));
    fireEvent.click(view().getByRole('menuitem', { name: 'Traffic' }));
    expect(openTraffic).toHaveBeenCalledExactlyOnceWith(SESSION);
  });
});
