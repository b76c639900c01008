import { describe, expect, it } from 'vitest';

import { hasMagic, newCell, placeAt } from './answer_cells';

it.each([
  ['x = 1', 'python', 'code', 'x = 1'],
  ['x', '', 'code', 'x'],
  ['# Title', 'Markdown', 'markdown', '# Title'],
  ['graph TD', 'mermaid', 'markdown', '```mermaid\ngraph TD\n```'],
  ['a````b', 'mermaid', 'markdown', '`````mermaid\na````b\n`````'],
])('%j in %j becomes a %s cell', (text, language, kind, source) => {
  expect(newCell(text, language)).toEqual({ cell_type: kind, source, metadata: {} });
});

it.each([
  ['%%acp\nHello', true],
  ['%%time\n%%acp --var df\nHello', true],
  ['x = 1\n%acp fix', true],
  ['  %acp rewind', true],
  ['answer = %acp last', true],
  ['%time %acp fix', true],
  ['x = 1', false],
  ['# then %acp fix', false],
  ["print('%acp fix')", false],
  ['%load_ext acp_jupyter', false],
  ['%acp_other', false],
])('%j has one of our magics: %j', (source, has) => {
  expect(hasMagic(source)).toBe(has);
});

describe('where a cell is completed', () => {
  it.each([
    ['x = @cl', null],
    ['%acp ses', { kind: 'line' }],
    ['x = 1\n%acp ', { kind: 'line' }],
    ['%acp', null],
    ['%%acp', { kind: 'line' }],
    ['%%acp de|\n@cl', { kind: 'line' }],
    ['%%time\n%%acp demo --pol', { kind: 'line' }],
    ['%%acp demo\n', { kind: 'prose' }],
    ['%%acp demo\nimport os', { kind: 'prose' }],
    ['%%acp demo\nLook at @cl', { kind: 'mention', start: 19 }],
    ['%%acp demo\nLook at @cl| and more', { kind: 'mention', start: 19 }],
    ['%%acp demo\nmail me@home', { kind: 'prose' }],
    ['%%acp demo\n%acp @', { kind: 'mention', start: 16 }],
    ['%%acp demo\n```\n@property', { kind: 'prose' }],
    ['%%acp demo\n```\nx\n```\n@', { kind: 'mention', start: 21 }],
    ['%%acp demo\n/exp', { kind: 'command', start: 11 }],
    ['%%acp demo\n\n/', { kind: 'command', start: 12 }],
    ['%%acp demo\nsay /exp', { kind: 'prose' }],
    ['%%acp demo\n/explore @', { kind: 'mention', start: 20 }],
  ])('of %j', (text, place) => {
    const caret = text.includes('|') ? text.indexOf('|') : text.length;
    expect(placeAt(text.replace('|', ''), caret)).toEqual(place);
  });
});
