import { describe, expect, it } from 'vitest';

import {
  artifact,
  edit,
  fileWrite,
  message,
  permission,
  thought,
  tool,
  turn,
} from '../../tests/support/build';
import { parseSnapshot } from './parse_snapshot';
import type { Item } from './types';

describe('parseSnapshot', () => {
  const good = {
    version: 1,
    turn_id: 't1',
    session_id: 's1',
    final: true,
    agent: { id: 'a', name: 'Agent', version: '1' },
    session_title: 'Title',
    turn: turn({
      status: 'done',
      origin: {
        kernel_id: '',
        view_id: '',
        notebook_path: '',
        cell_id: '',
        source: '',
        error: { cell: 'In[4]', cell_id: 'c', words: 'NameError' },
      },
    }),
    items: [message('m', 'Hello'), edit('e', { permission: permission() })],
    footer: ['Agent 1'],
  };

  it('keeps a good one as it is', () => {
    expect(parseSnapshot(good, {})).toEqual(good);
  });

  it('makes something harmless of anything', () => {
    for (const bad of [null, 1, 'x', [], {}, { ...good, version: 9 }, { ...good, turn_id: 5 }]) {
      expect(parseSnapshot(bad, {})).toBeNull();
    }
    const odd = parseSnapshot(
      {
        ...good,
        agent: 'x',
        turn: null,
        footer: [1, 'kept', {}],
        items: [
          null,
          { kind: 'agent_message' },
          { kind: 'unknown', id: 'u' },
          { kind: 'agent_message', id: 'm', text: { evil: 1 }, turn_id: [] },
          {
            kind: 'tool_call',
            id: 't',
            status: '<b>',
            diffs: 'x',
            permission: { state: 'granted', options: [3] },
            tool_kind: 'constructor',
          },
          { kind: 'plan', id: 'p', entries: [{ content: 'x', status: 'nope' }] },
        ],
      },
      {},
    );
    expect(odd?.items.map(item => item.kind)).toEqual(['agent_message', 'tool_call', 'plan']);
    expect(odd?.footer).toEqual(['kept']);
    expect(odd?.items[0]).toMatchObject({ text: '', turn_id: null });
    expect(odd?.items[1]).toMatchObject({
      status: 'pending',
      tool_kind: 'other',
      diffs: [],
      permission: { state: 'expired', options: [] },
    });
    expect(odd?.turn.status).toBe('done');
  });

  it('keeps the kinds and fields that came later', () => {
    const items: Item[] = [
      artifact('a', { preview_url: '/p', size_bytes: 4, size: '4 B' }),
      fileWrite('f'),
      tool('s', {
        subagent_type: 'Explore',
        locations: [{ path: 'a.py', line: 3 }],
        first_line: 3,
        truncated: true,
        files: ['a.py'],
        count: 7,
        todos: [{ content: 'Read', active_form: 'Reading', status: 'in_progress' }],
        diagnostics: [{ path: 'a.py', line: 2, severity: 'warning', message: 'unused' }],
        progress: 0.5,
        message: 'half',
      }),
      thought('th', '', { title: 'Analysing' }),
    ];
    expect(parseSnapshot({ ...good, items }, {})?.items).toEqual(items);
  });

  it('reads a tool call of an older record', () => {
    const old: Record<string, unknown> = { ...tool('r'), paths: ['a.py', 'b.py'], line: 12 };
    for (const later of ['locations', 'first_line', 'files', 'todos', 'diagnostics', 'message']) {
      Reflect.deleteProperty(old, later);
    }
    expect(parseSnapshot({ ...good, items: [old] }, {})?.items).toEqual([
      tool('r', {
        locations: [
          { path: 'a.py', line: 12 },
          { path: 'b.py', line: null },
        ],
        first_line: 12,
      }),
    ]);
  });

  it('offers nothing that only a live turn can do', () => {
    const call = {
      ...tool('r'),
      can_cancel: true,
      cancelling: true,
      wall: { path: 'a.py', words: 'Refused.', offers: 'outside', environment: 'X', run_id: '' },
      terminal: { command: 'ls', running: true, can_cancel: true },
      permission: { ...permission(), wider_rules: [{ text: 'edit', words: 'Any file' }] },
    };
    const snapshot = parseSnapshot(
      { ...good, items: [call, { ...message('m', 'x'), open: true }] },
      {},
    );
    expect(snapshot?.items).toMatchObject([
      {
        can_cancel: false,
        cancelling: false,
        wall: { words: 'Refused.', offers: '', environment: '' },
        terminal: { running: true, can_cancel: false },
        permission: { wider_rules: [] },
      },
      { open: false },
    ]);
  });

  it('keeps a large picture whole', () => {
    const data = 'A'.repeat(1_200_000);
    const picture = { kind: 'content_block', id: 'b', type: 'image', mime_type: 'image/png', data };
    expect(parseSnapshot({ ...good, items: [picture] }, {})?.items).toMatchObject([{ data }]);
  });

  it('bounds texts and lists', () => {
    const big = parseSnapshot(
      {
        ...good,
        items: Array.from({ length: 6000 }, (_, index) => message(`m${index}`, 'x')),
        session_title: 'x'.repeat(2_000_000),
      },
      {},
    );
    expect(big?.items).toHaveLength(1500);
    expect(big?.session_title).toHaveLength(1_000_000);
  });
});
