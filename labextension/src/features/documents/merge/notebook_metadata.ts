import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isRecord } from '../../../wire/read';
import { keyOf } from './notebook_json';

/** What a notebook said of itself: its values by name, as short texts. */
export type KnownMetadata = ReadonlyMap<string, string>;

/** What becomes of a notebook's metadata. */
export interface MetadataPlan {
  readonly set: readonly (readonly [string, PartialJSONValue])[];
  readonly removed: readonly string[];
  /** Names of what both have changed. */
  readonly conflicts: readonly string[];
}

/** The page sets these by its kernel, with or without a file that has them. */
const OF_KERNEL = new Set(['kernelspec', 'language_info']);

/** The page leaves it out of what it saves. */
const LEFT_OUT = 'orig_nbformat';

/** The metadata of a notebook's JSON. */
export function readMetadata(notebook: unknown): PartialJSONObject {
  return isRecord(notebook) && isJson(notebook.metadata) ? notebook.metadata : {};
}

export function knownMetadata(metadata: PartialJSONObject): KnownMetadata {
  return new Map(
    Object.entries(metadata)
      .filter(([name, value]) => name !== LEFT_OUT && value !== undefined)
      .map(([name, value]) => [name, keyOf(value)]),
  );
}

/** Takes the changes of a notebook's metadata into the open one; what its user has set stays. */
export function planMetadata(
  base: KnownMetadata,
  mine: KnownMetadata,
  theirs: PartialJSONObject,
): MetadataPlan {
  const there = knownMetadata(theirs);
  const set: [string, PartialJSONValue][] = [];
  const removed: string[] = [];
  const conflicts: string[] = [];
  for (const name of new Set([...base.keys(), ...there.keys()])) {
    const [was, is, value] = [base.get(name), mine.get(name), theirs[name]];
    const isNews = there.get(name) !== was && there.get(name) !== is;
    if (!isNews || (value === undefined && OF_KERNEL.has(name))) {
      continue;
    }
    if (is !== was) {
      if (!OF_KERNEL.has(name)) {
        conflicts.push(name);
      }
    } else if (value === undefined) {
      removed.push(name);
    } else {
      set.push([name, value]);
    }
  }
  return { set, removed, conflicts };
}

/** Whether the page has what is on disk. */
export function sameMetadata(mine: KnownMetadata, disk: KnownMetadata): boolean {
  return [...new Set([...mine.keys(), ...disk.keys()])].every(
    name => mine.get(name) === disk.get(name) || (OF_KERNEL.has(name) && !disk.has(name)),
  );
}

/** Some of the metadata to be compared; what is not there is null. */
export function metadataText(names: readonly string[], metadata: PartialJSONObject): string {
  const values = names.map(name => [name, metadata[name] ?? null]);
  return `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`;
}

/** The names in such a text. */
export function namesIn(text: string): string[] {
  return Object.keys(valuesIn(text));
}

/** What makes the metadata that of such a text. */
export function asIn(text: string): Omit<MetadataPlan, 'conflicts'> {
  const set: [string, PartialJSONValue][] = [];
  const removed: string[] = [];
  for (const [name, value] of Object.entries(valuesIn(text))) {
    if (value === null || value === undefined) {
      removed.push(name);
    } else {
      set.push([name, value]);
    }
  }
  return { set, removed };
}

function valuesIn(text: string): PartialJSONObject {
  const values: unknown = JSON.parse(text);
  return isJson(values) ? values : {};
}

/** It came as JSON. */
function isJson(value: unknown): value is PartialJSONObject {
  return isRecord(value);
}
