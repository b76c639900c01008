import { cut } from '../context/cells';

/** What an agent is asked for: a new source of one cell, and nothing else. */
export function fixPrompt(cellId: string, source: string, error: string, language: string): string {
  const frames =
    language === 'python'
      ? ' The tool last_error tells the variables of each frame of the traceback.'
      : '';
  return [
    `A cell of this notebook failed. Propose a fix of that one cell, whose id is \`${cellId}\`.`,
    'Call edit_cell of the notebook tools once, with the whole new source of that cell: the user ' +
      'sees the difference at the cell and decides. If you have no such tool, answer with the ' +
      'whole new source in one code block. Change nothing else, and do not run the cell: it is ' +
      `run when the user takes the fix.${frames}`,
    `The cell:\n\n${fenced(cut(source), language)}`,
    `The traceback:\n\n${fenced(error)}`,
  ].join('\n\n');
}

/** A code block whose fence is longer than any in it. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
