/** Most characters of a cell's source with its outputs, or of an error. */
const MAX_CHARS = 20_000;

/**
 * Beginning and end of a text that is too long; the important part is mostly in one of them.
 *
 * @param leftOut - How many characters were left out of its middle before.
 */
export function shortenMiddle(text: string, longest = MAX_CHARS, leftOut = 0): string {
  if (text.length <= longest) {
    return text;
  }
  const half = Math.floor(longest / 2);
  const left = text.length - 2 * half + leftOut;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`;
}
