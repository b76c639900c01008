import { describe, expect, it } from 'vitest';

import { parseServerFrame } from './parse_frame';

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
