import { describe, expect, it } from 'vitest';

import { turn } from '../../../tests/support/build';
import { ofRun, ofSession, ofTurn, readSubject } from './subject';

function runOf(...turns: [turnId: string, sessionId: string][]) {
  const known = turns.map(([turn_id, session_id]) => turn({ turn_id, session_id }));
  return {
    name: 'Run All, 11:58',
    turns: new Map(known.map(each => [each.turn_id, each])),
    sessionIds: [...new Set(known.map(each => each.session_id))],
  };
}

const RUN = { kind: 'run', name: 'Run All, 11:58', turnIds: ['t1', 't2'] };

describe('what is reviewed', () => {
  it('is a turn, with its run and its session', () => {
    expect(ofTurn('s2', 't2', runOf(['t1', 's1'], ['t2', 's2']))).toEqual({
      id: 'acp-review-t2',
      sessionIds: ['s2', 's1'],
      scopes: [{ kind: 'turn', turnId: 't2' }, RUN, { kind: 'session' }],
    });
    const alone = ofTurn('s1', 't1', runOf(['t1', 's1']));
    expect(alone.scopes.map(({ kind }) => kind)).toEqual(['turn', 'session']);
    expect(ofTurn('s1', 't1', null)).toEqual(alone);
  });

  it('is a run, if it has turns', () => {
    expect(ofRun(runOf(['t1', 's1'], ['t2', 's1']))).toEqual({
      id: 'acp-review-run-t1',
      sessionIds: ['s1'],
      scopes: [RUN],
    });
    expect(ofRun(runOf())).toBeNull();
  });

  it('comes back with the layout of the page', () => {
    for (const subject of [
      ofSession('s1'),
      ofTurn('s1', 't1', runOf(['t1', 's1'], ['t2', 's2'])),
    ]) {
      expect(readSubject(JSON.parse(JSON.stringify(subject)))).toEqual(subject);
    }
  });

  it('is nothing where the layout holds nonsense', () => {
    const scopes = [{ kind: 'session' }];
    for (const value of [
      null,
      'x',
      {},
      { id: 'x', sessionIds: ['s'], scopes: [{ kind: 'all' }, 3] },
      { id: 'x', sessionIds: [], scopes },
      { id: '', sessionIds: ['s'], scopes },
      { id: 'x', sessionIds: 's', scopes },
    ]) {
      expect(readSubject(value)).toBeNull();
    }
    const read = readSubject({ id: 'x', sessionIds: [1, 's'], scopes: [null, { kind: 'run' }] });
    expect(read?.sessionIds).toEqual(['s']);
    expect(read?.scopes).toEqual([{ kind: 'run', name: '', turnIds: [] }]);
  });
});
