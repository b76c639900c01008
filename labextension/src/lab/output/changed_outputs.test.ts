import { expect, test } from 'vitest';

import type { SavedOutput, SavedOutputs } from '../../wire/results';
import type { GetSavedOutputs } from '../../wire/types';
import { ChangedOutputs } from './changed_outputs';

function saved(turnId: string, ended_at = 1): SavedOutput {
  const bundle = { data: {}, metadata: {} };
  const ids = { turn_id: turnId, session_id: `s-${turnId}`, cell_id: 'c', source: '%%acp' };
  return { ...ids, done: true, queued_at: 0, ended_at, bundle };
}

/** A server with these answers, and the requests that it got. */
function server(...answers: SavedOutputs[]) {
  const asked: Partial<GetSavedOutputs>[] = [];
  const ask = ({ after, epoch, ended_after, unfinished }: GetSavedOutputs) => {
    asked.push({ after, epoch, ended_after, unfinished });
    const answer = answers.shift();
    return answer === undefined
      ? Promise.reject(new Error('asked too often'))
      : Promise.resolve(answer);
  };
  return { asked, changed: new ChangedOutputs({ run: ask }) };
}

const ids = (changed: ChangedOutputs) => changed.outputs.map(({ turn_id }) => turn_id);

test('what was told once is not asked for again', async () => {
  const { asked, changed } = server(
    { outputs: [saved('t1'), saved('t2')], number: 7, epoch: 'e' },
    { outputs: [saved('t1', 5)], number: 9, epoch: 'e' },
  );
  expect(await changed.fetch('a.ipynb', 100, () => ['t2'])).toBe(false);
  expect(await changed.fetch('a.ipynb', 100, () => ['t2'])).toBe(false);
  expect(asked).toEqual([
    { after: null, epoch: '', ended_after: 40, unfinished: ['t2'] },
    { after: 7, epoch: 'e', ended_after: 40, unfinished: [] },
  ]);
  expect(ids(changed)).toEqual(['t2', 't1']);
  expect(changed.outputs[1]?.ended_at).toBe(5);
  expect([...changed.sessionIds]).toEqual(['s-t1', 's-t2']);
});

test('another run of the server is asked for everything', async () => {
  const { asked, changed } = server(
    { outputs: [], number: 7, epoch: 'e' },
    { outputs: [], number: 3, epoch: 'f' },
    { outputs: [saved('t1')], number: 3, epoch: 'f' },
  );
  await changed.fetch('a.ipynb', null, () => []);
  expect(await changed.fetch('a.ipynb', null, () => [])).toBe(true);
  expect(await changed.fetch('a.ipynb', null, () => ['t1'])).toBe(false);
  expect(asked[2]).toEqual({ after: null, epoch: '', ended_after: null, unfinished: ['t1'] });
});

test('a notebook that is renamed while it is asked for is asked for again', async () => {
  const { asked, changed } = server(
    { outputs: [saved('old')], number: 7, epoch: 'e' },
    { outputs: [saved('new')], number: 7, epoch: 'e' },
  );
  const asking = changed.fetch('a.ipynb', null, () => []);
  changed.reset();
  expect(await asking).toBe(true);
  expect(ids(changed)).toEqual([]);
  expect(await changed.fetch('b.ipynb', null, () => [])).toBe(false);
  expect(asked[1]?.after).toBeNull();
});

test('of the turns that need nothing more the newest stay', async () => {
  const turns = Array.from({ length: 30 }, (_, nth) => saved(`t${nth}`));
  const { changed } = server({ outputs: turns, number: 7, epoch: 'e' });
  await changed.fetch('a.ipynb', null, () => []);
  changed.keep(new Set(['t3']));
  expect(ids(changed)).toEqual(['t3', ...turns.slice(10).map(({ turn_id }) => turn_id)]);
});
