import { expect, it } from 'vitest';

import { newCell } from './answer_cells';

it.each([
  ['x = 1', 'python', 'code', 'x = 1'],
  ['x', '', 'code', 'x'],
  ['# Title', 'Markdown', 'markdown', '# Title'],
  ['graph TD', 'mermaid', 'markdown', '```mermaid\ngraph TD\n```'],
  ['a````b', 'mermaid', 'markdown', '`````mermaid\na````b\n`````'],
])('%j in %j becomes a %s cell', (text, language, kind, source) => {
  expect(newCell(text, language)).toEqual({ cell_type: kind, source, metadata: {} });
});
