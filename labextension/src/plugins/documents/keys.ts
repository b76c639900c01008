import { isRecord } from '../../wire/read';

/** Longer ones are told apart by their length and a number. */
const MAX_KEY = 400;

/** A short text that is the same for two values that mean the same in a notebook. */
export function keyOf(value: unknown): string {
  const text = JSON.stringify(ordered(value));
  return text.length <= MAX_KEY ? text : `${text.length}:${hash(text)}`;
}

/** Names in order; a text in several lines, which notebooks write as a list, in one piece. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return list.length > 0 && list.every(each => typeof each === 'string')
      ? list.join('')
      : list.map(ordered);
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.keys(value)
      .filter(key => key !== 'transient' && value[key] !== undefined)
      .sort()
      .map(key => [key, ordered(value[key])]),
  );
}

/** cyrb53: no secret, and unlike by chance. */
function hash(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
