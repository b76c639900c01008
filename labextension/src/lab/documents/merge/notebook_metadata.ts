import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isRecord } from '../../../wire/read';
import { keyOf } from './notebook_json';

/** A notebook's metadata as short keys, by name. */
export type KnownMetadata = ReadonlyMap<string, string>;

/** Changes of a notebook's metadata. */
export interface MetadataPlan {
  readonly set: readonly (readonly [string, PartialJSONValue])[];
  readonly removed: readonly string[];
  /** Names that both sides have changed. */
  readonly conflicts: readonly string[];
}

/** The page sets these from its kernel, even if the file doesn't have them. */
const OF_KERNEL = new Set(['kernelspec', 'language_info']);

/** JupyterLab does not save it. */
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

/** Plans how to merge changes of a notebook's metadata; what the user has set stays. */
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

/** Whether the open notebook has the metadata of the file. */
export function sameMetadata(mine: KnownMetadata, disk: KnownMetadata): boolean {
  return [...new Set([...mine.keys(), ...disk.keys()])].every(
    name => mine.get(name) === disk.get(name) || (OF_KERNEL.has(name) && !disk.has(name)),
  );
}

/** The named metadata as JSON, to be compared; missing values are null. */
export function metadataText(names: readonly string[], metadata: PartialJSONObject): string {
  const values = names.map(name => [name, metadata[name] ?? null]);
  return `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`;
}

/** The names in the text of `metadataText`. */
export function namesIn(text: string): string[] {
  return Object.keys(valuesIn(text));
}

/** The changes that turn the metadata into this text's. */
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
