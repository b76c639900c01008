import type { PartialJSONObject } from '@lumino/coreutils';

import { isRecord } from '../../wire/read';
import { keyOf } from './keys';

export type Output = PartialJSONObject & { readonly output_type: string };

/** A cell as notebooks hold it, its source in one piece; the id is empty where it has none. */
export interface CellJson {
  readonly id: string;
  readonly cell_type: 'code' | 'markdown' | 'raw';
  readonly source: string;
  readonly metadata: PartialJSONObject;
  readonly outputs: readonly Output[];
  readonly execution_count: number | null;
  readonly attachments: PartialJSONObject | null;
}

/** What is remembered of a cell to tell later whether it was changed. */
export interface KnownCell {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly metadata: string;
  readonly outputs: string;
  readonly attachments: string;
}

/** What only the frontend sets, or the server on loading. */
const OWN_METADATA = new Set(['trusted', 'collapsed']);
const TYPES = ['code', 'markdown', 'raw'] as const;
/** Larger notebooks are not taken apart. */
const MAX_CELLS = 20_000;

/**
 * The cells of a notebook's JSON; `null` for what is none.
 *
 * None is trusted, whatever the JSON says: an agent may have written it, and what a trusted cell
 * shows runs scripts in the page as the user.
 */
export function readCells(notebook: unknown): CellJson[] | null {
  return loadedCells(notebook)?.map(untrusted) ?? null;
}

function untrusted(cell: CellJson): CellJson {
  const kept = Object.entries(cell.metadata).filter(([key]) => key !== 'trusted');
  return { ...cell, metadata: Object.fromEntries(kept) };
}

/** The cells of a notebook as the server gives it, which says itself which of them are trusted. */
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

/** Whether a key of a cell's metadata is the same for everybody. */
export function isShared(key: string): boolean {
  return !OWN_METADATA.has(key);
}

/** As a shared notebook takes a new cell. */
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

/** It came as JSON, or from the document's own model. */
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
