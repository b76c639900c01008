import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Cell, ChangedFile, FileThen, HistoryMoment, HistoryStep } from '../../../wire/types';
import type { Mounted } from '../../../views/props';
import { mountHistory } from './history_view';
import type { HistoryProps } from './props';

function step(number: number, more: Partial<HistoryStep> = {}): HistoryStep {
  return {
    ...{ turn_id: `t${number}`, session_id: 's', agent_name: 'Demo', prompt: `Prompt ${number}` },
    ...{ running: false, kept: true, files: number, started_at: null },
    ...more,
  };
}

function file(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
  return {
    ...{ path, change: 'modified', old_path: '', added: 1, removed: 1, binary: false, size: 1 },
    ...{ old_mode: null, new_mode: null, came_from: '', kept: true, words: '', reverted: false },
    ...{ reverted_hunks: [], kept_hunks: [], together: [], old_text_id: '', new_text_id: '' },
    ...{ author: 'agent' as const, yours_too: false },
    ...more,
  };
}

function then(changed: ChangedFile, more: Partial<FileThen> = {}): FileThen {
  return {
    ...changed,
    ...{ old_text: null, new_text: null, too_large: false, edited_cells: [] },
    ...{ media_type: '', picture: '' },
    ...more,
  };
}

function cell(source: string, outputs: Cell['outputs'] = []): Cell {
  return {
    id: source,
    cell_type: 'code',
    source,
    outputs,
    execution_count: 3,
    acp: null,
    context: null,
  };
}

function moment(more: Partial<HistoryMoment> = {}): HistoryMoment {
  return {
    ...{ words: '', files: [], left_out: 0, notebook_path: 'book.ipynb', cells: [] },
    ...{ cells_words: '', language: 'python' },
    ...more,
  };
}

let element: HTMLElement;
let mounted: Mounted<HistoryProps>;
let props: HistoryProps;
const go = vi.fn();
const restore = vi.fn(() => Promise.resolve());
const undo = vi.fn(() => Promise.resolve());
const again = vi.fn();
const getFile = vi.fn((_: string, path: string) => Promise.resolve(then(file(path))));

function show(more: Partial<HistoryProps> = {}) {
  props = {
    ...{ name: 'book.ipynb', steps: [step(1), step(2), step(3)], place: 2, failure: '' },
    ...{ shown: { turnId: 't2', moment: moment() }, loading: false, restored: '' },
    ...{ go, again, restore, undo, getFile },
    ...more,
  };
  mounted = mountHistory(element, props);
  return within(element);
}

beforeEach(() => {
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => {
  mounted.dispose();
  element.remove();
  vi.clearAllMocks();
});

describe('the slider', () => {
  it('says which turn it is at, and goes to another', () => {
    const view = show();
    const slider = view.getByRole<HTMLInputElement>('slider', { name: 'Turn' });
    expect([slider.min, slider.max, slider.value]).toEqual(['0', '3', '2']);
    expect(slider.getAttribute('aria-valuetext')).toBe('turn 2 of 3: Prompt 2');
    expect(element.textContent).toContain('Prompt 2 Demo · changed 2 files');
    fireEvent.input(slider, { target: { value: '3' } });
    expect(go).toHaveBeenLastCalledWith(3);
    fireEvent.click(view.getByRole('button', { name: 'Previous turn' }));
    expect(go).toHaveBeenLastCalledWith(1);
    mounted.update({ ...props, place: 0 });
    expect(slider.getAttribute('aria-valuetext')).toBe('before turn 1 of 3');
    fireEvent.click(view.getByRole('button', { name: 'Previous turn' }));
    expect(go).toHaveBeenCalledTimes(2);
  });

  it('keeps what is shown until the next is there, and says that it is not that yet', () => {
    const view = show({ shown: null, loading: true });
    expect(element.textContent).toContain('Loading files and cells');
    mounted.update({ ...props, shown: { turnId: 't2', moment: moment() }, loading: true });
    const files = view.getByRole('region', { name: 'Files' });
    expect(files.parentElement?.getAttribute('aria-busy')).toBe('true');
  });

  it('says that there are no turns, that they are loaded, and why they are not', () => {
    const view = show({ steps: [], place: 0, shown: null });
    expect(element.textContent).toContain('This notebook has had no turns yet.');
    expect(view.queryByRole('slider')).toBeNull();
    mounted.update({ ...props, steps: null });
    expect(element.textContent).toContain('Loading the turns');
    mounted.update({ ...props, steps: null, failure: 'Not connected.' });
    expect(view.getByRole('group', { name: 'Error' }).textContent).toContain('Not connected.');
    expect(element.textContent).not.toContain('Loading');
    fireEvent.click(view.getByRole('button', { name: 'Try again' }));
    expect(again).toHaveBeenCalledOnce();
  });
});

describe('a moment', () => {
  it('has files, whose contents are read when they are opened', async () => {
    const code = file('a.py');
    getFile.mockResolvedValueOnce(then(code, { old_text: 'one\n', new_text: 'two\n' }));
    const shown = { turnId: 't2', moment: moment({ files: [code, file('plot.png')] }) };
    const view = show({ shown });
    expect(getFile).not.toHaveBeenCalled();
    fireEvent.click(view.getByRole('button', { name: /a\.py/ }));
    const diff = await view.findByRole('region', { name: 'Diff of a.py' });
    expect(getFile).toHaveBeenLastCalledWith('t2', 'a.py');
    expect(diff.querySelector('ins')?.textContent).toBe('two');

    const plot = then(file('plot.png'), { media_type: 'image/png', picture: 'AAAA' });
    getFile.mockResolvedValueOnce(plot);
    fireEvent.click(view.getByRole('button', { name: /plot\.png/ }));
    const image = await view.findByRole('img', { name: 'plot.png' });
    expect(image.getAttribute('src')).toBe('data:image/png;base64,AAAA');

    // At the next moment the same file has another text, and stays open.
    getFile.mockResolvedValueOnce(then(code, { old_text: 'one\n', new_text: 'three\n' }));
    mounted.update({
      ...props,
      place: 3,
      shown: { turnId: 't3', moment: moment({ files: [code] }) },
    });
    await waitFor(() => expect(view.getByText('three')).toBeTruthy());
    expect(getFile).toHaveBeenLastCalledWith('t3', 'a.py');
  });

  it('has cells with their outputs, plots as pictures, and nothing that runs', () => {
    const svg = '<svg onload="alert(1)"></svg>';
    const cells = [
      cell('plot()', [{ output_type: 'display_data', data: { 'image/png': 'BB"BB' } }]),
      cell('draw()', [{ output_type: 'display_data', data: { 'image/svg+xml': svg } }]),
      cell('1 / 0', [{ output_type: 'error', text: '\u001b[31mZeroDivisionError\u001b[0m' }]),
      cell('x', [{ output_type: 'execute_result', data: { 'text/plain': '<b>6</b>' } }]),
    ];
    const view = show({ shown: { turnId: 't2', moment: moment({ cells }) } });
    const sources = view.getAllByRole('group', { name: 'Source' }).map(each => each.textContent);
    expect(sources).toEqual(cells.map(each => each.source));
    const images = view.getAllByRole('img').map(image => image.getAttribute('src'));
    expect(images).toEqual([
      'data:image/png;base64,BBBB',
      `data:image/svg+xml,${encodeURIComponent(svg)}`,
    ]);
    const outputs = view.getAllByRole('group', { name: 'Output' }).map(each => each.textContent);
    expect(outputs).toEqual(['ZeroDivisionError', '<b>6</b>']);
    expect(element.querySelector('svg[onload], b[onload]')).toBeNull();
  });

  it('draws many cells in parts', () => {
    const cells = Array.from({ length: 60 }, (_, index) => cell(`x = ${index}`));
    const view = show({ shown: { turnId: 't2', moment: moment({ cells }) } });
    expect(view.getAllByRole('group', { name: 'Source' })).toHaveLength(50);
    fireEvent.click(view.getByRole('button', { name: 'Show more cells' }));
    expect(view.getAllByRole('group', { name: 'Source' })).toHaveLength(60);
  });

  it('says why it is not known', () => {
    const gone = 'The state of the folder after this turn is no longer stored.';
    const view = show({ shown: { turnId: 't2', moment: moment({ words: gone }) } });
    expect(element.textContent).toContain(gone);
    expect(view.queryByRole('region', { name: 'Files' })).toBeNull();
  });
});

describe('Restore to here', () => {
  it('says what goes, and is not there at the newest turn', () => {
    const view = show();
    expect(element.textContent).toContain('Restoring takes back the turn after this moment.');
    fireEvent.click(view.getByRole('button', { name: 'Restore to here' }));
    expect(restore).toHaveBeenCalledOnce();
    mounted.update({ ...props, steps: [step(1), step(2), step(3, { running: true })] });
    expect(element.textContent).toContain('The turn that runs is stopped first.');
    mounted.update({ ...props, place: 3 });
    expect(view.queryByRole('button', { name: 'Restore to here' })).toBeNull();
  });

  it('says why it was refused, until another turn is chosen', async () => {
    restore.mockRejectedValueOnce(new Error('Nothing was reverted: a.py was changed since.'));
    const view = show();
    fireEvent.click(view.getByRole('button', { name: 'Restore to here' }));
    const alert = await view.findByRole('alert');
    expect(alert.textContent).toContain('a.py was changed since.');
    mounted.update({ ...props, place: 1 });
    await waitFor(() => expect(view.queryByRole('alert')).toBeNull());
  });

  it('can be undone, also where no turn is left', () => {
    const view = show({ steps: [], place: 0, shown: null, restored: 'Went back to before “x”.' });
    expect(view.getByRole('status').textContent).toContain('Went back to before “x”.');
    fireEvent.click(view.getByRole('button', { name: 'Undo' }));
    expect(undo).toHaveBeenCalledOnce();
  });
});
