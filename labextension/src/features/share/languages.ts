import type { Parser } from '@lezer/common';
import { parser as json } from '@lezer/json';
import { parser as python } from '@lezer/python';

/** By names of languages and file extensions. More of them would make each file larger. */
const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ...['python', 'python3', 'ipython', 'ipython3', 'py', 'pyi'].map((name): [string, Parser] => [
    name,
    python,
  ]),
  ['json', json],
]);

/** Finds the parser of a language in a shared file, which includes only the most common ones. */
export function findParser(language: string): Promise<Parser | null> {
  const name = language.toLowerCase();
  return Promise.resolve(PARSERS.get(name.slice(name.lastIndexOf('.') + 1)) ?? null);
}
