/** A text of an output: notebooks store it as one string or as a list of lines. */
export function linesOrText(from: Readonly<Record<string, unknown>>, key: string): string {
  const value = from[key];
  return Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : '';
}
