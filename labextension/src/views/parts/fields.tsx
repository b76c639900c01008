import type { ToolCall } from '../../wire/types';
import { Visible } from './odd_characters';

/** Longest value shown in a card; Raw shows the whole value. */
const MAX_VALUE = 2_000;

const MAX_FIELDS = 40;

/** A name and its value. */
export type Field = readonly [string, string];

/** Names and values in two columns, e.g. the input of an unknown tool. */
export function Fields({ rows }: { readonly rows: readonly Field[] }) {
  return (
    <dl class="acp-fields">
      {rows.map(([name, text], index) => [
        <dt key={`name ${index}`}>
          <Visible text={name} strictness="lookalikes" />
        </dt>,
        <dd key={`value ${index}`} dir="auto">
          <Visible text={text} />
        </dd>,
      ])}
    </dl>
  );
}

/** The fields of a tool's input, without empty ones and without values in `known`. */
export function fieldsOf(value: unknown, known: readonly string[]): Field[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [];
  }
  return Object.entries(value)
    .filter(([, field]) => field !== null && field !== '' && !known.includes(String(field)))
    .slice(0, MAX_FIELDS)
    .map(([name, field]: [string, unknown]) => [name, shorten(wordsOf(field), MAX_VALUE)]);
}

/** The details of a permission request, without those in `shown`. */
export function detailsOf({ permission }: ToolCall, shown: readonly Field[]): Field[] {
  const names = new Set(shown.map(([name]) => name));
  return (permission?.details ?? [])
    .filter(({ name }) => !names.has(name))
    .map(({ name, value }): Field => [name, shorten(value, MAX_VALUE)]);
}

/** The beginning of a text that is longer than that many characters. */
export function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A value as text: a list of plain words with commas, anything else as JSON. */
function wordsOf(field: unknown): string {
  if (typeof field === 'string') {
    return field;
  }
  const isPlain = (each: unknown): each is string =>
    typeof each === 'string' && /^[^\s,"]+$/.test(each);
  return Array.isArray(field) && field.length > 0 && field.every(isPlain)
    ? field.join(', ')
    : JSON.stringify(field);
}
