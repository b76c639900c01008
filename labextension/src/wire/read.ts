/**
 * Readers of unchecked values: each returns the value if it has the right type and
 * size, else a harmless default.
 */

/** An object with unchecked values. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longest text read from a foreign notebook, in UTF-16 code units. */
const MAX_TEXT = 1_000_000;

/** Most elements read of a list. */
const MAX_LIST = 5_000;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(from: Fields, name: string): string {
  const value = from[name];
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}

export function textOrNull(from: Fields, name: string): string | null {
  return typeof from[name] === 'string' ? text(from, name) : null;
}

export function number(from: Fields, name: string): number | null {
  const value = from[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function flag(from: Fields, name: string): boolean {
  return from[name] === true;
}

/** The value if it is one of these, else the first of them. */
export function oneOf<const Choice extends string>(
  from: Fields,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return choices.find(choice => choice === from[name]) ?? choices[0];
}

export function list<Element>(
  from: Fields,
  name: string,
  read: (value: Fields) => Element | null,
  most = MAX_LIST,
): Element[] {
  const value = from[name];
  if (!Array.isArray(value)) {
    return [];
  }
  return value.slice(0, most).flatMap((each: unknown) => {
    const element = isRecord(each) ? read(each) : null;
    return element === null ? [] : [element];
  });
}

export function texts(from: Fields, name: string): string[] {
  const value = from[name];
  return Array.isArray(value)
    ? value.slice(0, MAX_LIST).filter((each: unknown) => typeof each === 'string')
    : [];
}

export function maybe<Value>(
  from: Fields,
  name: string,
  read: (value: Fields) => Value | null,
): Value | null {
  const value = from[name];
  return isRecord(value) ? read(value) : null;
}
