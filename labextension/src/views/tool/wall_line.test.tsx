import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { command, SESSION, turn } from '../../../tests/support/build';
import { draw, words } from '../../../tests/support/draw';
import { replaced } from '../../../tests/support/events';
import type { Wall } from '../../wire/types';

const WORDS = 'The sandbox “folder” keeps .git from changes.';
const WALL: Wall = {
  path: '/home/ada/rates/.git/index.lock',
  words: WORDS,
  offers: 'outside',
  environment: '',
  run_id: '',
};
const DONE = { turn: turn({ status: 'done', stop_reason: 'end_turn' }) };

function failed(wall: Partial<Wall> = {}) {
  return command('a', { tool_call_id: 'c1', status: 'failed', wall: { ...WALL, ...wall } });
}

describe('a wall that a call has met', () => {
  it('is said below its line, and the command is run outside by a button', async () => {
    const runOutside = vi.fn(() => Promise.resolve());
    const drawn = draw([failed()], { ...DONE, actions: { runOutside } });
    const card = drawn.card(/Running command/);
    expect(words(card)).toContain(WORDS);
    fireEvent.click(within(card).getByRole('button', { name: 'Run it outside once' }));
    expect(runOutside).toHaveBeenCalledWith(SESSION, 'c1');
    drawn.store.apply([replaced(failed({ offers: '', run_id: 'host-1' }), 99)]);
    await waitFor(() => expect(words(card)).toContain('Its command ran once more, for you.'));
    expect(within(card).queryByRole('button', { name: 'Run it outside once' })).toBeNull();
  });

  it('names what an install would be let do', () => {
    const wall = { offers: 'environment', environment: '/home/ada/.venv' } as const;
    const drawn = draw([failed(wall)], { ...DONE, actions: { runOutside: vi.fn() } });
    const button = { name: 'Let it change the environment once' };
    expect(within(drawn.card(/Running command/)).getByRole('button', button)).not.toBeNull();
  });

  it('says why nothing was run', async () => {
    const why = 'Commands of agents run in a sandbox here.';
    const runOutside = vi.fn(() => Promise.reject(new Error(why)));
    const drawn = draw([failed()], { ...DONE, actions: { runOutside } });
    const card = drawn.card(/Running command/);
    fireEvent.click(within(card).getByRole('button', { name: 'Run it outside once' }));
    await waitFor(() => expect(within(card).getByRole('alert').textContent).toBe(why));
  });

  it.each([
    ['where nothing is offered', failed({ offers: '' }), { runOutside: vi.fn() }],
    ['where nothing can be done from here', failed(), {}],
  ])('has words and no button %s', (_, item, actions) => {
    const card = draw([item], { ...DONE, actions }).card(/Running command/);
    expect(words(card)).toContain(WORDS);
    expect(within(card).queryByRole('button', { name: 'Run it outside once' })).toBeNull();
  });
});
