import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { examples } from '../../../../tests/support/generated';
import { identify } from './identify_cells';
import { planMerge, applied, restored } from './merge_cells';
import type { CellConflict, OpenCell } from './merge_cells';
import { known } from './notebook_json';
import type { CellJson } from './notebook_json';

type Deed =
  | { op: 'delete' | 'split' | 'run' | 'tag' | 'type' | 'image'; at: number }
  | { op: 'move' | 'insert'; at: number; to: number };

const NAMES = ['run', 'tag', 'image', 'type', 'delete', 'split'] as const;

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ op: fc.constantFrom(...NAMES), at: fc.nat(7) }),
  fc.record({
    op: fc.constantFrom('move' as const, 'insert' as const),
    at: fc.nat(7),
    to: fc.nat(7),
  }),
);

const cells = fc.array(
  fc.record({
    source: fc.constantFrom('', 'a', 'b', 'a\nb'),
    isText: fc.boolean(),
    ran: fc.boolean(),
    image: fc.boolean(),
  }),
  { maxLength: 6 },
);

const deeds = fc.array(deed, { maxLength: 6 });

const shown = (text: string) => [{ output_type: 'stream', name: 'stdout', text }];

const image = (text: string) => ({ 'image/png': text });

function made(id: string, source: string, more: Partial<OpenCell> = {}): OpenCell {
  return {
    id,
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null,
    attachments: null,
    running: false,
    ...more,
  };
}

type Drawn = typeof cells extends fc.Arbitrary<infer Value> ? Value : never;

function baseOf(drawn: Drawn): OpenCell[] {
  return drawn.map(({ source, isText, ran, image: has }, index) =>
    made(`base${index}`, source, {
      cell_type: isText ? 'markdown' : 'code',
      outputs: ran && !isText ? shown(`was ${index}`) : [],
      attachments: has && isText ? { 'was.png': image(`was ${index}`) } : null,
    }),
  );
}

/** One side's version of the notebook; each text, output and image says whose it is. */
function changed(base: readonly OpenCell[], steps: readonly Deed[], who: string): OpenCell[] {
  const now = [...base];
  steps.forEach((step, index) => {
    const word = `${who}${index}`;
    const at = now.length === 0 ? 0 : step.at % now.length;
    const cell = now[at];
    if (step.op === 'insert') {
      now.splice(step.to % (now.length + 1), 0, made(`${word}new`, word));
    } else if (cell === undefined) {
      return;
    } else if (step.op === 'delete') {
      now.splice(at, 1);
    } else if (step.op === 'move') {
      now.splice(at, 1);
      now.splice(step.to % (now.length + 1), 0, cell);
    } else if (step.op === 'split') {
      now.splice(at, 1, { ...cell, source: `${word}top` }, made(`${word}half`, `${word}half`));
    } else if (step.op === 'tag') {
      now[at] = { ...cell, metadata: { tags: [word] } };
    } else if (step.op === 'type') {
      now[at] = { ...cell, source: word };
    } else if (step.op === 'run' && cell.cell_type === 'code') {
      now[at] = { ...cell, outputs: shown(word), execution_count: index };
    } else if (step.op === 'image' && cell.cell_type === 'markdown') {
      const attachments = { ...cell.attachments, [`${index % 2}.png`]: image(word) };
      now[at] = { ...cell, attachments };
    }
  });
  return now;
}

/** A cell without what the page sets itself. */
const plain = ({
  id,
  cell_type,
  source,
  metadata,
  outputs,
  execution_count,
  attachments,
}: CellJson) => ({
  id,
  cell_type,
  source,
  metadata,
  outputs,
  execution_count,
  attachments,
});

const contents = (of: readonly CellJson[]) =>
  of.map(plain).map(cell => ({ ...cell, id: '', attachments: cell.attachments ?? {} }));

/** The words of one side in a cell, each with its position. */
function words({ source, outputs, attachments }: CellJson, who: string): string[] {
  return [
    ...(source.startsWith(who) ? [`source ${source}`] : []),
    ...outputs.map(({ text }) => `output ${JSON.stringify(text)}`),
    ...Object.entries(attachments ?? {}).map(([name, data]) => `${name} ${JSON.stringify(data)}`),
  ].filter(word => word.includes(who));
}

function nothingLost(mine: OpenCell[], theirs: OpenCell[], out: CellJson[], named: CellConflict[]) {
  const there = new Set(out.flatMap(cell => words(cell, 'user')));
  expect(mine.flatMap(cell => words(cell, 'user')).filter(word => !there.has(word))).toEqual([]);
  // The agent's text is there, or in a cell that needs the user's choice.
  const taken = new Set([
    ...out.flatMap(cell => words(cell, 'agent')),
    ...named.flatMap(({ theirs: source, attachments }) =>
      words(made('', source ?? '', { attachments: attachments ?? null }), 'agent'),
    ),
  ]);
  // Outputs of cells that the user deleted or ran go; what the agent wrote there comes back.
  const ranToo = new Set(mine.flatMap(cell => (words(cell, 'user').length > 0 ? [cell.id] : [])));
  const here = new Set(
    [...mine, ...theirs.filter(({ id }) => !id.startsWith('base'))].map(({ id }) => id),
  );
  const waits = new Set(named.map(({ id }) => id));
  const missing = theirs
    .filter(({ id }) => !waits.has(id) && !ranToo.has(id))
    .flatMap(cell =>
      words(cell, 'agent').filter(word => here.has(cell.id) || !word.startsWith('output')),
    );
  expect(missing.filter(word => !taken.has(word))).toEqual([]);
}

function merged(base: OpenCell[], mine: OpenCell[], theirs: OpenCell[]) {
  const plan = planMerge(base.map(known), mine, theirs);
  return { out: applied(mine, plan), named: [...plan.conflicts] };
}

describe('a merge of any two changes of a notebook', () => {
  it('loses nothing of either side, and takes a lone one whole', () => {
    const property = fc.property(cells, deeds, deeds, (drawn, users, agents) => {
      const base = baseOf(drawn);
      const mine = changed(base, users, 'user');
      const theirs = changed(base, agents, 'agent');
      const both = merged(base, mine, theirs);
      nothingLost(mine, theirs, both.out, both.named);
      expect(merged(base, base, theirs).out.map(plain)).toEqual(theirs.map(plain));
      expect(merged(base, mine, base).out.map(plain)).toEqual(mine.map(plain));
      expect([merged(base, base, theirs).named, merged(base, mine, base).named]).toEqual([[], []]);
    });
    const drawn: Drawn = [{ source: 'a', isText: false, ran: false, image: false }];
    fc.assert(property, {
      ...examples(1_000),
      examples: [
        [drawn, [{ op: 'run', at: 0 }], [{ op: 'delete', at: 0 }]],
        [drawn, [{ op: 'delete', at: 0 }], [{ op: 'run', at: 0 }]],
      ],
    });
  });

  it('loses nothing where the file comes back with other ids, or with one id twice', () => {
    const ids = fc.constantFrom('new', 'none', 'twice');
    const property = fc.property(cells, deeds, deeds, ids, (drawn, users, agents, kind) => {
      const base = baseOf(drawn);
      const mine = changed(base, users, 'user');
      const written = changed(base, agents, 'agent').map((cell, index) => ({
        ...cell,
        id: { new: `x${index}`, none: '', twice: 'base0' }[kind],
      }));
      let count = 0;
      const theirs = identify(base.map(known), written, () => `made${(count += 1)}`);
      expect(new Set(theirs.map(({ id }) => id)).size).toBe(theirs.length);
      const plan = planMerge(base.map(known), mine, theirs);
      const there = new Set(applied(mine, plan).flatMap(cell => words(cell, 'user')));
      const typed = mine.flatMap(cell => words(cell, 'user'));
      expect(typed.filter(word => !there.has(word))).toEqual([]);
    });
    fc.assert(property, examples(1_000));
  });

  it('brings back what was typed when the file is loaded over a shared notebook', () => {
    const property = fc.property(
      cells,
      deeds,
      deeds,
      fc.boolean(),
      (drawn, users, agents, anew) => {
        const base = baseOf(drawn);
        const mine = changed(base, users, 'user');
        const theirs = changed(base, agents, 'agent').map((cell, index) => ({
          ...cell,
          id: anew ? `x${index}` : cell.id,
        }));
        const [out, named] = restored(base.map(known), mine, theirs);
        expect(new Set(out.map(({ id }) => id)).size).toBe(out.length);
        const there = new Set(out.flatMap(cell => words(cell, 'user')));
        const typed = mine.flatMap(cell => words(cell, 'user'));
        expect(typed.filter(word => !there.has(word))).toEqual([]);
        if (users.length === 0) {
          expect(named).toEqual([]);
          // If two cells have the same text and new ids, nobody can say which outputs are whose.
          const left = (of: CellJson[]) =>
            contents(of).map(cell =>
              anew ? { ...cell, outputs: [], execution_count: null } : cell,
            );
          expect(left(out)).toEqual(left(theirs));
        }
      },
    );
    const drawn = [0, 1].map((index): Drawn[number] => ({
      source: 'a',
      isText: false,
      ran: index === 1,
      image: false,
    }));
    fc.assert(property, {
      ...examples(500),
      examples: [
        [drawn, [], [{ op: 'move', at: 1, to: 0 }], true],
        [drawn, [{ op: 'type', at: 0 }], [{ op: 'type', at: 1 }], true],
      ],
    });
  });
});
