import { expect, it } from 'vitest';

import { spansOf } from './odd_characters';

it('leaves ordinary text alone, in any script', () => {
  for (const text of [
    'npm test -- --watch=false',
    'naïve café',
    'Привет',
    '日本語',
    'a\tb\nc',
    '',
  ]) {
    expect(spansOf(text, 'invisible').filter(span => span.odd !== '')).toEqual([]);
  }
  expect(
    spansOf('rm -rf build && git push "x" \'y\' `z`', 'lookalikes').filter(span => span.odd !== ''),
  ).toEqual([]);
});

it('marks what could deceive, and loses nothing', () => {
  const text = 'rm \u202egpj.exe\u200b /tmp\u2215x р\u00a0ｒm 𝐫m \u{e0041}';
  const spans = spansOf(text, 'lookalikes');
  expect(spans.map(span => span.text).join('')).toBe(text);
  expect(spans.filter(span => span.odd !== '').map(span => span.odd)).toEqual([
    'U+202E right-to-left override',
    'U+200B zero width space',
    'U+2215 looks like /',
    'U+0440 looks like p',
    'U+00A0 no-break space',
    'U+FF52 looks like r',
    'U+1D42B looks like r',
    'U+E0041 invisible character',
  ]);
});
