import { expect, it } from 'vitest';

import { codePoint, markControls, spansOf, writtenOut } from './odd_characters';

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

const LEFT_ALONE = [
  'plain ASCII text',
  'שלום עולם, مرحبا بالعالم',
  'می\u200cخواهم', // Persian needs its non-joiner
  'क्\u200dष and ක්\u200dර', // Indic scripts theirs
  '👩\u200d💻 👨🏽\u200d🚀 ❤\ufe0f\u200d🔥 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'ภาษา\u200bไทย',
  'tab\tline\nend\u00a0of\u00adword\u200e\u200f',
  '葛\u{e0100}飾',
];

const SHOWN: [string, string][] = [
  ['a\u202eb', 'U+202E'],
  ['\u2066if\u2069', 'U+2066 U+2069'],
  ['adm\u200bin', 'U+200B'],
  ['adm\u200din', 'U+200D'],
  ['а\u200cб', 'U+200C'],
  ['\ufeffstart', 'U+FEFF'],
  ['x\u2060y\u2063z', 'U+2060 U+2063'],
  ['hid\u{e0041}\u{e0042}den', 'U+E0041 U+E0042'],
  ['a\u{e0101}', 'U+E0101'],
  ['\x1b[31m\x85', 'U+001B U+0085'],
];

it.each(LEFT_ALONE)('leaves what a script needs: %s', text => {
  expect(spansOf(text, 'controls').filter(span => span.odd !== '')).toEqual([]);
  expect(writtenOut(text)).toBe(text);
});

it.each(SHOWN)('shows controls: %j', (text, expected) => {
  const spans = spansOf(text, 'controls');
  expect(spans.map(span => span.text).join('')).toBe(text);
  const odd = spans.filter(span => span.odd !== '');
  expect(odd.map(span => codePoint(span.text)).join(' ')).toBe(expected);
  const page = document.createElement('p');
  page.innerHTML = '<b>x</b>';
  page.append(text);
  markControls(page);
  expect(page.textContent).toBe(`x${text}`);
  const marks = [...page.querySelectorAll<HTMLElement>('bdi.acp-odd')];
  expect(marks.map(mark => mark.dataset.odd).join(' ')).toBe(expected);
});
