import { describe, expect, it } from 'vitest';

import { message, tool } from '../../../tests/support/build';
import type { Item } from '../../wire/types';
import { nest } from './layout';

const ids = (items: readonly Item[] | undefined) => (items ?? []).map(item => item.id);

describe('what was done for a call', () => {
  it('stands below the outermost call, in order', () => {
    const items = [
      tool('task'),
      tool('read', { parent_id: 'task' }),
      tool('inner', { parent_id: 'task' }),
      { ...message('said', 'Found it.'), parent_id: 'inner' },
      tool('after'),
      tool('late', { parent_id: 'task' }),
    ];
    const { top, steps } = nest(items);
    expect(ids(top)).toEqual(['task', 'after']);
    expect([...steps.keys()]).toEqual(['task']);
    expect(ids(steps.get('task'))).toEqual(['read', 'inner', 'said', 'late']);
  });

  it('stands at the top where the call is unknown, later, no call, or itself', () => {
    const items = [
      tool('unknown', { parent_id: 'nobody' }),
      tool('itself', { parent_id: 'itself' }),
      tool('first', { parent_id: 'second' }),
      tool('second', { parent_id: 'first' }),
      message('text', 'Words'),
      tool('of a text', { parent_id: 'text' }),
    ];
    const { top, steps } = nest(items);
    expect(ids(top)).toEqual(['unknown', 'itself', 'first', 'text', 'of a text']);
    expect(ids(steps.get('first'))).toEqual(['second']);
  });

  it('has each item in one place, whatever the parents are', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const count = 1 + random(9);
      const items: Item[] = Array.from({ length: count }, (_, index) => {
        const parent = { parent_id: random(3) === 0 ? '' : `i${random(count + 1)}` };
        return random(4) === 0
          ? { ...message(`i${index}`, 'x'), ...parent }
          : tool(`i${index}`, parent);
      });
      const { top, steps } = nest(items);
      const drawn = top.flatMap(item => [item, ...(steps.get(item.id) ?? [])]);
      expect(ids(drawn).sort()).toEqual(ids(items).sort());
    }
  });
});
