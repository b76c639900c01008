import { fireEvent, within } from '@testing-library/preact';
import { describe, expect, it } from 'vitest';

import { command, tool } from '../../../tests/support/build';
import { draw, openedCard } from '../../../tests/support/draw';
import type { Drawn } from '../../../tests/support/draw';
import { appended } from '../../../tests/support/events';
import type { ToolCall } from '../../wire/types';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

async function opened(item: ToolCall): Promise<[Drawn, HTMLElement]> {
  const drawn = draw([item]);
  return [drawn, await openedCard(drawn, new RegExp(item.title))];
}

describe('a long text of a read', () => {
  const read = tool('c1', {
    title: 'Read file',
    ui_kind: 'read',
    path: 'a.txt',
    first_line: 11,
    output: numbered(1_234),
    status: 'completed',
  });

  it('shows 12 lines, then 500 at most, with the numbers they have', async () => {
    const [, card] = await opened(read);
    const inside = within(card);
    expect(card.querySelectorAll('.ln')).toHaveLength(12);
    fireEvent.click(inside.getByRole('button', { name: 'Show all' }));
    expect(await inside.findByText('1 to 500 of 1,234 lines')).toBeTruthy();
    expect(card.querySelectorAll('.ln')).toHaveLength(500);
    fireEvent.click(inside.getByRole('button', { name: 'Later' }));
    fireEvent.click(await inside.findByRole('button', { name: 'Later' }));
    expect(await inside.findByText('1,001 to 1,234 of 1,234 lines')).toBeTruthy();
    expect(card.querySelector('.ln')?.textContent).toBe('1011');
    expect(card.querySelector('pre')?.textContent).toContain('line 1234');
    expect(inside.getByRole('button', { name: 'Later' }).hasAttribute('disabled')).toBe(true);
  });
});

describe('a long output of a command', () => {
  const lines = (card: HTMLElement) =>
    card.querySelector('.acp-out')?.textContent.split('\n') ?? [];

  it('shows its end, and all of it by pages of 500 lines', async () => {
    const [drawn, card] = await opened(
      command('c1', { output: numbered(1_200), status: 'completed' }),
    );
    const inside = within(card);
    expect(lines(card).length).toBeLessThanOrEqual(501);
    expect(lines(card).pop()).toBe('line 1200');
    fireEvent.click(inside.getByRole('button', { name: 'Show all' }));
    expect(await inside.findByText('1,001 to 1,200 of 1,200 lines')).toBeTruthy();
    fireEvent.click(inside.getByRole('button', { name: 'Earlier' }));
    expect(await inside.findByText('501 to 1,000 of 1,200 lines')).toBeTruthy();
    expect(lines(card)[0]).toBe('line 501');
    expect(lines(card)).toHaveLength(500);
    fireEvent.click(inside.getByRole('button', { name: 'Show the end' }));
    await inside.findByRole('button', { name: 'Show all' });
    expect(drawn.element.textContent).toContain('line 1200');
  });

  it('offers nothing more where everything is there', async () => {
    const [drawn, card] = await opened(command('c1', { output: numbered(100) }));
    drawn.store.apply([appended('c1', numbered(100).length, '\nmore', 102, 'output')]);
    expect(within(card).queryByRole('button', { name: 'Show all' })).toBeNull();
  });
});
