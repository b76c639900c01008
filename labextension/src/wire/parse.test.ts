import { describe, expect, it } from 'vitest';

import { edit, message, permission, turn } from '../../tests/support/build';
import { parseServerFrame, parseSnapshot } from './parse';

describe('parseServerFrame', () => {
  it('takes what the server sends and nothing else', () => {
    expect(parseServerFrame('{"type":"sessions","sessions":[]}')).toEqual({
      type: 'sessions',
      sessions: [],
    });
    for (const bad of [
      '',
      'null',
      '[]',
      '{',
      '{"type":"what"}',
      '{"type":"events","session_id":"s"}',
      '{"type":"events","session_id":"s","events":[{"kind":"text_appended"}]}',
      '{"type":"hello","sessions":{}}',
      '{"type":"error","error":"x"}',
    ]) {
      expect(parseServerFrame(bad), bad).toBeNull();
    }
  });
});

describe('parseSnapshot', () => {
  const good = {
    version: 1,
    turn_id: 't1',
    session_id: 's1',
    final: true,
    agent: { id: 'a', name: 'Agent', version: '1' },
    session_title: 'Title',
    turn: turn({ status: 'done' }),
    items: [message('m', 'Hello'), edit('e', { permission: permission() })],
    footer: ['Agent 1'],
  };

  it('keeps a good one as it is', () => {
    expect(parseSnapshot(good)).toEqual(good);
  });

  it('makes something harmless of anything', () => {
    for (const bad of [null, 1, 'x', [], {}, { ...good, version: 9 }, { ...good, turn_id: 5 }]) {
      expect(parseSnapshot(bad)).toBeNull();
    }
    const odd = parseSnapshot({
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
    });
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

  it('bounds texts and lists', () => {
    const big = parseSnapshot({
      ...good,
      items: Array.from({ length: 6000 }, (_, index) => message(`m${index}`, 'x')),
      session_title: 'x'.repeat(2_000_000),
    });
    expect(big?.items).toHaveLength(5000);
    expect(big?.session_title).toHaveLength(1_000_000);
  });
});
