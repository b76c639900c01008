// eslint-disable-next-line no-control-regex -- terminals colour their text with it
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;

/** A text without the codes by which terminals colour it. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, '');
}
