import type { PartialJSONObject } from '@lumino/coreutils';

import { isRecord } from '../../../wire/read';

export type Output = PartialJSONObject & { readonly output_type: string };

/**
 * A cell as in a notebook's JSON, with its source as one string; the id is empty if it has none.
 */
export interface CellJson {
  readonly id: string;
  readonly cell_type: 'code' | 'markdown' | 'raw';
  readonly source: string;
  readonly metadata: PartialJSONObject;
  readonly outputs: readonly Output[];
  readonly execution_count: number | null;
  readonly attachments: PartialJSONObject | null;
}

/** A cell as short keys, to find out later whether it was changed. */
export interface KnownCell {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly metadata: string;
  readonly outputs: string;
  readonly attachments: string;
}

/** Metadata that only the page sets, or the server on loading. */
const OWN_METADATA = new Set(['trusted', 'collapsed']);

const TYPES = ['code', 'markdown', 'raw'] as const;

/** Larger notebooks are not merged. */
const MAX_CELLS = 20_000;

/**
 * The cells of a notebook's JSON; `null` for anything else.
 *
 * No cell is trusted, whatever the JSON says: an agent may have written it, and outputs of a
 * trusted cell can run scripts in the page as the user.
 */
export function readCells(notebook: unknown): CellJson[] | null {
  return loadedCells(notebook)?.map(untrusted) ?? null;
}

function untrusted(cell: CellJson): CellJson {
  const others = Object.entries(cell.metadata).filter(([key]) => key !== 'trusted');
  return { ...cell, metadata: Object.fromEntries(others) };
}

/** The cells of a notebook as the server loads it, with the server's decision which are trusted. */
export function loadedCells(notebook: unknown): CellJson[] | null {
  if (!isRecord(notebook) || !Array.isArray(notebook.cells) || notebook.cells.length > MAX_CELLS) {
    return null;
  }
  const cells = notebook.cells.map(readCell);
  return cells.every(cell => cell !== null) ? cells : null;
}

export function known(cell: CellJson): KnownCell {
  return {
    id: cell.id,
    type: cell.cell_type,
    source: cell.source,
    metadata: metadataKey(cell.metadata),
    outputs: keyOf(cell.outputs),
    attachments: keyOf(cell.attachments ?? {}),
  };
}

export function metadataKey(metadata: CellJson['metadata']): string {
  return keyOf(Object.fromEntries(Object.entries(metadata).filter(([key]) => isShared(key))));
}

/** Whether a key of a cell's metadata is saved in the file. */
export function isShared(key: string): boolean {
  return !OWN_METADATA.has(key);
}

/** The cell in the form in which a shared notebook inserts it. */
export function cellContent(cell: CellJson) {
  const { id, cell_type, source, attachments } = cell;
  const metadata = { ...cell.metadata };
  if (cell_type === 'code') {
    const { outputs, execution_count } = cell;
    return { id, cell_type, source, metadata, outputs: [...outputs], execution_count };
  }
  const more = attachments === null ? {} : { attachments };
  return { id, cell_type, source, metadata, ...more };
}

function readCell(cell: unknown): CellJson | null {
  if (!isRecord(cell)) {
    return null;
  }
  const type = TYPES.find(each => each === cell.cell_type);
  const source = joined(cell.source);
  if (type === undefined || source === null) {
    return null;
  }
  return {
    id: typeof cell.id === 'string' ? cell.id : '',
    cell_type: type,
    source,
    metadata: isJson(cell.metadata) ? cell.metadata : {},
    outputs: Array.isArray(cell.outputs) ? cell.outputs.filter(isOutput) : [],
    execution_count: typeof cell.execution_count === 'number' ? cell.execution_count : null,
    attachments: isJson(cell.attachments) ? cell.attachments : null,
  };
}

/** The value was parsed from JSON, or comes from the document's own model. */
function isJson(value: unknown): value is PartialJSONObject {
  return isRecord(value);
}

export function isOutput(value: unknown): value is Output {
  return isRecord(value) && typeof value.output_type === 'string';
}

function joined(source: unknown): string | null {
  if (Array.isArray(source)) {
    return source.every(line => typeof line === 'string') ? source.join('') : null;
  }
  return typeof source === 'string' ? source : null;
}

/** Longer keys are replaced by their length and a hash. */
const MAX_KEY = 400;

/** A short key that is equal for values with the same meaning in a notebook. */
export function keyOf(value: unknown): string {
  const text = JSON.stringify(ordered(value));
  return text.length <= MAX_KEY ? text : `${text.length}:${hash(text)}`;
}

/** The value with sorted names, and lists of lines joined to one text. */
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

/** cyrb53: fast, not cryptographic. */
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

/** A notebook's JSON as nbformat writes it: sorted names, texts as lists of lines. */
export function diskForm(notebook: unknown): string {
  return `${JSON.stringify(laidOut(notebook, false), null, 1)}\n`;
}

/** @param lines - Whether a text here is written as lines. */
function laidOut(value: unknown, lines: boolean): unknown {
  if (typeof value === 'string') {
    return lines ? (value.match(/[^\n]*\n|[^\n]+/g) ?? []) : value;
  }
  if (Array.isArray(value)) {
    return value.map((each: unknown) => laidOut(each, false));
  }
  if (!isRecord(value)) {
    return value;
  }
  const isData = 'output_type' in value && isRecord(value.data);
  return Object.fromEntries(
    Object.keys(value)
      .filter(key => key !== 'trusted' && value[key] !== undefined)
      .sort()
      .map(key => [
        key,
        key === 'data' && isData
          ? dataLaidOut(value[key])
          : laidOut(value[key], (key === 'source' && 'cell_type' in value) || isStream(key, value)),
      ]),
  );
}

function isStream(key: string, value: Readonly<Record<string, unknown>>): boolean {
  return key === 'text' && value['output_type'] === 'stream';
}

function dataLaidOut(data: unknown): unknown {
  return isRecord(data)
    ? Object.fromEntries(
        Object.keys(data)
          .sort()
          .map(mime => [
            mime,
            laidOut(data[mime], mime.startsWith('text/') || mime === 'image/svg+xml'),
          ]),
      )
    : data;
}
