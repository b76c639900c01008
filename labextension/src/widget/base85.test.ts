import { describe, expect, it } from 'vitest';

import { LETTERS, unpack85 } from './base85';

describe('packed text', () => {
  it('is made of letters that nothing escapes', () => {
    expect(new Set(LETTERS).size).toBe(LETTERS.length);
    expect(LETTERS.length).toBe(85);
    expect(JSON.stringify(LETTERS)).toBe(`"${LETTERS}"`);
    expect(LETTERS).not.toMatch(/[<>&'"`\\$\s]/);
  });

  it('gives the bytes it was made of', () => {
    expect([...unpack85('0000100011', 7)]).toEqual([0, 0, 0, 1, 0, 0, 0]);
    expect([...unpack85('0000100011', 8)]).toEqual([0, 0, 0, 1, 0, 0, 0, 86]);
    // The greatest value that four bytes hold.
    const letters = [82, 23, 54, 12, 0].map(place => LETTERS[place]).join('');
    expect([...unpack85(letters, 4)]).toEqual([255, 255, 255, 255]);
  });
});
