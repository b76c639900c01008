import { fireEvent, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { message, session, SESSION, turn, TURN } from '../../../tests/support/build';
import { snapshot } from '../../../tests/support/events';
import { SessionStore } from '../../state/store';
import type { Actions, Cells } from '../actions';
import type { Mounted, Rendering, Run, TurnProps } from '../props';
import { mountTurn } from '../turn/turn_view';

const DONE = turn({ status: 'done', stop_reason: 'end_turn', started_at: 0, ended_at: 64 });

const PYTHON = '```python\nx = "one"\n```\n';

let element: HTMLElement;

let mounted: Mounted<TurnProps> | null = null;

beforeEach(() => {
  element = document.createElement('div');
  document.body.append(element);
});

afterEach(() => {
  mounted?.dispose();
  mounted = null;
  document.body.replaceChildren();
});

function show(text: string, over: Partial<Actions> | null, rendering?: Rendering): void {
  const store = new SessionStore(SESSION);
  store.apply([snapshot([message('m1', text)], [DONE], session({ status: 'idle' }))]);
  const actions: Actions | null = over && {
    answerPermission: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
    ...over,
  };
  mounted = mountTurn(element, { store, turnId: TURN, host: 'panel', actions, rendering });
}

function code(): HTMLElement {
  const found = element.querySelector<HTMLElement>('.acp-code code');
  if (found === null) {
    throw new Error('no code is drawn');
  }
  return found;
}

function button(name: string): HTMLElement | null {
  const all = [...element.querySelectorAll<HTMLElement>('.acp-code header button')];
  return all.find(each => (each.getAttribute('aria-label') ?? each.textContent) === name) ?? null;
}

/** An active cell that the test can move. */
class FakeCells implements Cells {
  active: number | null = 3;
  readonly listeners = new Set<() => void>();
  readonly insertBelow = vi.fn(() => Promise.resolve());
  readonly replaceActive = vi.fn(() => Promise.resolve());
  readonly activeCell = () => this.active;
  readonly onChange = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  move(to: number | null): void {
    this.active = to;
    this.listeners.forEach(listener => listener());
  }
}

describe('code in answers', () => {
  it('goes to the cell that its buttons name', async () => {
    const cells = new FakeCells();
    show(PYTHON, { cells });
    expect(button('Copy')).toBeNull();
    expect(button('Replace cell 3')?.hidden).toBe(false);
    cells.move(7);
    const replace = button('Replace cell 7');
    expect(replace).not.toBeNull();
    fireEvent.click(replace ?? element);
    await waitFor(() => expect(cells.replaceActive).toHaveBeenCalledWith('x = "one"', 'python'));
    fireEvent.click(button('Insert as cell below') ?? element);
    await waitFor(() => expect(cells.insertBelow).toHaveBeenCalledWith('x = "one"', 'python'));
    cells.move(null);
    expect(button('Insert as cell below')?.hidden).toBe(true);
  });

  it('takes the place of no prompt and no text', () => {
    const cells: FakeCells & Pick<Cells, 'canReplace'> = new FakeCells();
    let fits = true;
    show(PYTHON, { cells: Object.assign(cells, { canReplace: () => fits }) });
    expect(button('Replace cell 3')?.hidden).toBe(false);
    fits = false;
    cells.move(4);
    expect(button('Replace cell 4')?.hidden).toBe(true);
    expect(button('Insert as cell below')?.hidden).toBe(false);
  });

  it('says that it is text where no language is named', () => {
    show('```\nplain\n```\n', { copy: () => Promise.resolve() });
    expect(element.querySelector('.acp-code > header')?.textContent).toBe('text');
  });

  it('is nothing for a cell where it is what a program has written', () => {
    show('```console\n$ ls\nclean.py\n```\n', {
      cells: new FakeCells(),
      copy: () => Promise.resolve(),
    });
    expect(button('Insert as cell below')).toBeNull();
    expect(button('Copy')).not.toBeNull();
  });

  it('says what was done, and why it was not', async () => {
    const cells = new FakeCells();
    cells.insertBelow.mockRejectedValueOnce(new Error('The notebook is read-only.'));
    show(PYTHON, { cells, copy: () => Promise.resolve() });
    fireEvent.click(button('Insert as cell below') ?? element);
    const said = () => element.querySelector('[data-said]')?.getAttribute('data-said');
    await waitFor(() => expect(said()).toBe('The notebook is read-only.'));
    fireEvent.click(button('Copy') ?? element);
    await waitFor(() => expect(said()).toBe('Copied'));
  });

  it('has no buttons in a saved record, but colours', async () => {
    const highlight = vi.fn((): Promise<Run[]> =>
      Promise.resolve([
        { text: 'x = ', class: '' },
        { text: '"one"', class: 'str' },
      ]),
    );
    show(PYTHON, null, { highlight });
    expect(element.querySelector('.acp-code button')).toBeNull();
    await waitFor(() => expect(code().querySelector('.str')?.textContent).toBe('"one"'));
    expect(highlight).toHaveBeenCalledExactlyOnceWith('x = "one"', 'python');
    expect(code().textContent).toBe('x = "one"');
  });

  it('stays as it is where the colours would change what it says', async () => {
    const other: Run[] = [{ text: 'x = "two"', class: 'str' }];
    const highlight = vi.fn(() => Promise.resolve(other));
    show(PYTHON, {}, { highlight });
    await waitFor(() => expect(highlight).toHaveBeenCalled());
    await Promise.resolve();
    expect(code().innerHTML).toBe('x = "one"');
  });

  it('is not coloured above 50,000 characters', async () => {
    const highlight = vi.fn(() => Promise.resolve(null));
    show(`\`\`\`python\n${'x'.repeat(50_001)}\n\`\`\`\n\n${PYTHON}`, {}, { highlight });
    await waitFor(() => expect(highlight).toHaveBeenCalledTimes(1));
    expect(highlight).toHaveBeenCalledWith('x = "one"', 'python');
  });
});

describe('formulas', () => {
  const formulas = (text: string) => {
    show(text, {});
    return [...element.querySelectorAll('.acp-formula')].map(each => each.textContent);
  };

  it.each([
    ['Let $x_1 * y_1$ be *it*.', ['$x_1 * y_1$']],
    ['Display: $$a_1 + b_1$$ and \\(c_1\\).', ['$$a_1 + b_1$$', '\\(c_1\\)']],
    [
      '$$\n\\begin{align}\na &= b \\\\\n=\nc\n\\end{align}\n$$',
      ['$$\n\\begin{align}\na &= b \\\\\n=\nc\n\\end{align}\n$$'],
    ],
    ['So\n\\[ x < y \\]\nthen', ['\\[ x < y \\]']],
    ['- in a list: $x$\n- and\n  $$\n  y\n  $$', ['$x$', '$$\ny\n$$']],
    ['It costs $5 and $6, or $5/$6.', []],
    ['`$x$` and\n\n```\n$y$\n```\n', []],
    ['\\$x\\$ and $HOME:$PATH and US$5 and CA$6', []],
    ['a \\[link\\](https://example.org) and \\[1\\]', []],
    ['never $closed', []],
    ['one $x\n\ny$ two', []],
  ])('%j', (text, wanted) => {
    expect(formulas(text)).toEqual(wanted);
  });

  it('are typeset once they are whole, and keep their source', async () => {
    const mathematics = vi.fn((source: string) => {
      const made = document.createElement('b');
      made.textContent = `typeset ${source.length}`;
      return Promise.resolve(made);
    });
    show('Let $x$ and $y$.', {}, { mathematics });
    await waitFor(() => expect(element.querySelectorAll('.acp-typeset b')).toHaveLength(2));
    expect(element.querySelector('.acp-formula .vh')?.textContent).toBe('$x$');
    expect(element.querySelector('.acp-typeset')?.getAttribute('aria-hidden')).toBe('true');
  });
});

describe('diagrams', () => {
  const source = '```mermaid\ngraph TD\n  A-->B\n```\n';

  it('are images with their source below', async () => {
    let change: () => void = () => undefined;
    let address = 'data:image/svg+xml,one';
    const diagram = vi.fn(() => Promise.resolve({ address, label: 'A to B', width: 100 }));
    const onChange = (listener: () => void) => {
      change = listener;
      return () => undefined;
    };
    show(source, {}, { diagram, onChange });
    const image = () => element.querySelector('.acp-diagram img');
    await waitFor(() => expect(image()?.getAttribute('src')).toBe(address));
    expect(image()?.getAttribute('alt')).toBe('A to B');
    expect(element.querySelector('details code')?.textContent).toBe('graph TD\n  A-->B');
    address = 'data:image/svg+xml,two';
    change();
    await waitFor(() => expect(image()?.getAttribute('src')).toBe(address));
  });

  it('stay source where they are refused or fail', async () => {
    const diagram = vi.fn(() => Promise.reject(new Error('no')));
    show(source, {}, { diagram });
    await waitFor(() => expect(diagram).toHaveBeenCalled());
    expect(code().textContent).toBe('graph TD\n  A-->B');
    expect(element.querySelector('img')).toBeNull();
  });
});
