import { shortenMiddle } from '../../lab/context/shorten_middle';
import { fenced } from '../../lab/page/fenced';

/** Most characters of the error's last line in the prompt's first line. */
const MAX_ERROR = 100;

/** The prompt: it asks for a new source of one cell, and nothing else. */
export async function fixPrompt(
  cellId: string,
  source: string,
  error: string,
  language: string,
): Promise<string> {
  const shown = shortenMiddle(source);
  // An agent that has not seen the whole cell must read it before it overwrites it.
  const fingerprint = shown === source ? await fingerprintOf(source) : null;
  const named = fingerprint === null ? '' : ` and whose fingerprint is \`${fingerprint}\``;
  const first =
    fingerprint === null ? '' : ' You need not read the cell first: it stands below as it is now.';
  const frames =
    language === 'python'
      ? ' Only if cell and traceback do not tell why: the tool last_error tells the variables of ' +
        'each frame of the traceback.'
      : '';
  const failed = (error.trimEnd().split('\n').pop() ?? '').slice(0, MAX_ERROR);
  return [
    // The first line becomes the title of a new session.
    `A cell of this notebook failed: ${failed}`,
    `Propose a fix of that one cell, whose id is \`${cellId}\`${named}.`,
    'Call edit_cell of the notebook tools once, with the whole new source of that cell: the user ' +
      'sees the difference at the cell and decides. If you have no such tool, answer with the ' +
      'whole new source in one code block. Change nothing else, and do not run the cell: it is ' +
      `run when the user takes the fix.${first}${frames}`,
    `The cell:\n\n${fenced(shown, language)}`,
    `The traceback:\n\n${fenced(error)}`,
  ].join('\n\n');
}

/** The fingerprint by which the notebook tools recognise a source; `null` in a page without TLS. */
async function fingerprintOf(
  source: string,
  { subtle }: { readonly subtle?: SubtleCrypto } = crypto,
): Promise<string | null> {
  if (subtle === undefined) {
    return null;
  }
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(source));
  return [...new Uint8Array(digest, 0, 8)].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
