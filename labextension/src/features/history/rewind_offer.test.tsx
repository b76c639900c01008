import { fireEvent, waitFor } from '@testing-library/preact';
import { describe, expect, it, vi } from 'vitest';

import { notice, session, SESSION, turn } from '../../../tests/support/build';
import { DONE, draw } from '../../../tests/support/draw';
import { Additions } from '../../views/additions';
import { rewindOffer } from './rewind_offer';
import type { Rewinding } from './rewinding';

const OFFER = notice('n', {
  text: 'It remembers the turn after it.',
  offers: 'rewind',
  target: 'old',
});

function rewinding(over: Partial<Rewinding> = {}): Rewinding {
  return {
    to: vi.fn(async () => {}),
    undo: vi.fn(async () => {}),
    restartKernel: vi.fn(async () => {}),
    ...over,
  };
}

function withRewinding(over: Partial<Rewinding> = {}) {
  const given = rewinding(over);
  return {
    rewinding: given,
    actions: { additions: new Additions().add({ offer: rewindOffer(given) }) },
  };
}

/** The host's refusal. */
class Refused extends Error {
  constructor(readonly reason: string) {
    super('Nothing was reverted.');
  }
}

describe('what a notice offers', () => {
  it('goes back to before the turn that it names', () => {
    const { rewinding, actions } = withRewinding();
    const { view } = draw([OFFER], { actions });
    fireEvent.click(view.getByRole('button', { name: 'Go back to here' }));
    const [called] = vi.mocked(rewinding.to).mock.calls;
    expect([called?.[0].turn_id, called?.[1], called?.[2]]).toEqual([turn().turn_id, 'old', true]);
  });

  it('goes back without the files once those are refused, and not after another failure', async () => {
    for (const [reason, more] of [
      ['changes_refused', 1],
      ['changes_gone', 1],
      ['bad_request', 0],
    ] as const) {
      const to = vi.fn(async () => Promise.reject(new Refused(reason)));
      const { view } = draw([OFFER], withRewinding({ to }));
      fireEvent.click(view.getByRole('button', { name: 'Go back to here' }));
      await waitFor(() =>
        expect(view.getByRole('alert').textContent).toBe('Nothing was reverted.'),
      );
      expect(view.queryAllByRole('button', { name: 'Go back and leave the files' })).toHaveLength(
        more,
      );
    }
  });

  it('undoes it, and offers to restart the kernel', () => {
    const { rewinding, actions } = withRewinding();
    const { view } = draw([notice('n', { text: 'Went back.', offers: 'undo_rewind' })], {
      actions,
    });
    fireEvent.click(view.getByRole('button', { name: 'Undo' }));
    expect(rewinding.undo).toHaveBeenCalledExactlyOnceWith(SESSION);
    fireEvent.click(view.getByRole('button', { name: 'Restart the kernel and run up to here…' }));
    expect(rewinding.restartKernel).toHaveBeenCalledOnce();
  });

  it('is gone where the host can do nothing, and where it was done', () => {
    const without = draw([OFFER], {});
    expect(without.view.queryByRole('button', { name: 'Go back to here' })).toBeNull();
    const done = draw([OFFER], {
      actions: withRewinding().actions,
      session: session({ continues_in: 'other' }),
      turn: DONE,
    });
    expect(done.view.queryByRole('button', { name: 'Go back to here' })).toBeNull();
  });
});
