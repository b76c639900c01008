import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { isRecord } from '../../wire/read';
import { identity } from '../i18n';
import { fencesApart } from './glued_fences';
import { MarkdownStream } from './stream';

const FILE: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/golden/glued_fences.json'), 'utf8'),
);
const CASES = Object.entries(isRecord(FILE) ? FILE : {});

describe('a fence behind text on its line', () => {
  it.each(CASES)('is read as Python reads it: %s', (text, apart) => {
    expect(fencesApart(text)).toBe(apart);
  });

  it.each([1, 3, 1000])('opens a block in a growing answer, %i characters at a time', size => {
    const host = document.createElement('div');
    const stream = new MarkdownStream(host, { t: identity, controls: false });
    let rest = 'Here it is:```python\nx = 1\n\ny = 2\n```\nAfter *this* text. Not `a ```b``` c`.\n';
    while (rest !== '') {
      stream.append(rest.slice(0, size));
      rest = rest.slice(size);
      stream.flush();
    }
    const shown = () => [
      host.querySelector('p')?.textContent,
      host.querySelector('code')?.textContent.trim(),
      host.querySelector('em')?.textContent,
    ];
    expect(shown()).toEqual(['Here it is:', 'x = 1\n\ny = 2', 'this']);
    stream.finish();
    expect(shown()).toEqual(['Here it is:', 'x = 1\n\ny = 2', 'this']);
  });
});
