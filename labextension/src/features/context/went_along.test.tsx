import { fireEvent } from '@testing-library/preact';
import { expect, it } from 'vitest';

import { message, TURN } from '../../../tests/support/build';
import { DONE, draw, words } from '../../../tests/support/draw';
import { Additions } from '../../views/additions';
import type { Attachment, UserMessage } from '../../wire/types';
import { WentAlong } from './view/went_along';

const ACTIONS = { additions: new Additions().add({ turnFooter: WentAlong }) };

function attachment(over: Partial<Attachment>): Attachment {
  return { type: 'resource', name: '', uri: '', mime_type: '', size: 10, cut: false, ...over };
}

function asked(...attachments: Attachment[]): UserMessage {
  return {
    ...{ id: 'p', kind: 'user_message', turn_id: TURN, text: 'Why?' },
    ...{ attachments, at: 0, steered: false },
  };
}

it('lists what went along with a prompt, its size, and what was cut', () => {
  const items = [
    asked(
      attachment({ uri: 'jupyter:a%20b.ipynb/cell-3', size: 4000, cut: true }),
      attachment({ uri: 'jupyter:a%20b.ipynb/cell-4-output-2', type: 'image', size: 900 }),
      attachment({ uri: 'jupyter:b.ipynb/variable/sales', size: 40 }),
      attachment({
        uri: 'file:///d/x%20y.csv',
        name: 'x y.csv',
        type: 'resource_link',
        size: null,
      }),
      attachment({ type: 'text', name: 'Variables', size: 60 }),
    ),
    message('m', 'So.'),
  ];
  const { view, element } = draw(items, { turn: DONE, actions: ACTIONS });
  const line = view.getByRole('button', { name: /^With / });
  expect(words(line)).toBe(
    'With 1 cell, 1 output, 1 variable, 1 file, 1 text: 5 kB, about 1,000 tokens',
  );
  expect(words(element)).not.toContain('Cell 4');
  fireEvent.click(line);
  const list = view.getByRole('list', { name: 'What went along' });
  expect([...list.children].map(row => [...row.children].map(words).join(' '))).toEqual([
    'Cell 3 4 kB, cut',
    'Cell 4, output 2 900 B',
    'sales 40 B',
    'x y.csv the agent reads it itself',
    'Variables 60 B',
  ]);
});

it('has no line where nothing went along', () => {
  const { view } = draw([asked(), message('m', 'So.')], { turn: DONE, actions: ACTIONS });
  expect(view.queryByRole('button', { name: /^With / })).toBeNull();
});
