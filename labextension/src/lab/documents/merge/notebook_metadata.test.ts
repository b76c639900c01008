import type { PartialJSONObject } from '@lumino/coreutils';
import { expect, it } from 'vitest';

import {
  asIn,
  knownMetadata,
  metadataText,
  namesIn,
  planMetadata,
  readMetadata,
  sameMetadata,
} from './notebook_metadata';

function plan(base: PartialJSONObject, mine: PartialJSONObject, theirs: PartialJSONObject) {
  return planMetadata(knownMetadata(base), knownMetadata(mine), theirs);
}

const NOTHING = { set: [], removed: [], conflicts: [] };

const python = { kernelspec: { name: 'python3' }, language_info: { name: 'python' } };

it('takes what the file says anew, and leaves what the user has set', () => {
  const mine = { title: 'Old', tags: ['mine'], old: 1 };
  expect(plan({ title: 'Old', old: 1 }, mine, { title: 'New', more: { a: [1] } })).toEqual({
    set: [
      ['title', 'New'],
      ['more', { a: [1] }],
    ],
    removed: ['old'],
    conflicts: [],
  });
});

it('names what both have changed, and takes what both have changed alike', () => {
  const both = plan({ title: 'Old', tags: [] }, { title: 'Mine', tags: ['x'] }, { title: 'New' });
  expect(both).toEqual({ ...NOTHING, conflicts: ['title', 'tags'] });
  expect(plan({ title: 'Old' }, { title: 'New' }, { title: 'New' })).toEqual(NOTHING);
});

it('leaves what the kernel says of itself where a file lacks it', () => {
  expect(plan(python, python, {})).toEqual(NOTHING);
  // A kernel has started since.
  const started = { ...python, language_info: { name: 'python', version: '3.12' } };
  expect(plan(python, started, { language_info: { name: 'julia' } })).toEqual(NOTHING);
  expect(plan(python, python, { kernelspec: { name: 'ir' } }).set).toEqual([
    ['kernelspec', { name: 'ir' }],
  ]);
});

it('tells whether there is something to save', () => {
  const is = (mine: PartialJSONObject, disk: PartialJSONObject) =>
    sameMetadata(knownMetadata(mine), knownMetadata(disk));
  expect(is({ ...python, title: 'A' }, { title: 'A', orig_nbformat: 3 })).toBe(true);
  expect(is(python, { kernelspec: { name: 'ir' } })).toBe(false);
  expect(is({}, { title: 'A' })).toBe(false);
  expect(is({ title: 'A' }, {})).toBe(false);
});

it('takes what is no metadata for none', () => {
  expect(readMetadata({ metadata: 3 })).toEqual({});
  expect(readMetadata(null)).toEqual({});
  expect(readMetadata({ metadata: { a: 1 } })).toEqual({ a: 1 });
});

it('puts what both have changed side by side, and takes the other', () => {
  const text = metadataText(['title', 'tags'], { title: 'New', other: 1 });
  expect(text).toBe('{\n  "title": "New",\n  "tags": null\n}\n');
  expect(namesIn(text)).toEqual(['title', 'tags']);
  expect(asIn(text)).toEqual({ set: [['title', 'New']], removed: ['tags'] });
});
