import { describe, expect, it } from 'vitest';

import type { Block } from '../../lab/context/content_blocks';
import { identity } from '../../views/i18n';
import { pictureOf, sizeOf, summary, textOfBlock } from './going_along';
import type { Going } from './going_along';

function going(kind: Going['kind'], block: Block | null, isOut = false): Going {
  return { key: '', kind, label: '', block, words: '', isOut, onToggle: () => undefined };
}

const cell: Block = { type: 'resource', resource: { uri: 'jupyter:a', text: 'ä'.repeat(2051) } };
const file: Block = { type: 'resource_link', uri: 'file:///a.csv', name: 'a.csv' };
const plot: Block = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

describe('what goes along', () => {
  it('is counted, with its size and an estimate of tokens', () => {
    const all = [going('cell', cell), going('cell', cell), going('file', file)];
    expect(summary(all, identity)).toBe('2 cells, 1 file: 8 kB, about 1,000 tokens');
    expect(summary([going('image', plot)], identity)).toBe('1 image: 3 B');
  });

  it('does not count what was taken out or can not be read', () => {
    expect(summary([going('cell', cell, true), going('variable', null)], identity)).toBe(
      'Nothing goes along',
    );
  });

  it('is shown as it is sent', () => {
    expect(textOfBlock(file)).toBe('file:///a.csv');
    expect(textOfBlock({ type: 'resource', resource: 'odd' })).toBe('');
    expect(sizeOf(cell)).toBe(4102);
    expect(pictureOf(plot)).toBe('data:image/png;base64,AAAA');
    expect(pictureOf(cell)).toBe(null);
  });
});
