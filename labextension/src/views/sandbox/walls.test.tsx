import { fireEvent, waitFor, within } from '@testing-library/preact';
import { describe, expect, it } from 'vitest';

import { session } from '../../../tests/support/build';
import { DONE, draw } from '../../../tests/support/draw';
import { showPanel, storeOf } from '../../../tests/support/panel';
import type { WallsInForce } from '../../wire/types';

const WHY = 'bubblewrap was not found. Install bubblewrap.';

const FULL: WallsInForce = { sandbox: 'folder', level: 'full', network: 'all', why: '' };

const PARTIAL: WallsInForce = { sandbox: 'read-only', level: 'partial', network: 'all', why: WHY };

const NONE: WallsInForce = { sandbox: 'folder', level: 'none', network: 'all', why: WHY };

function badgeOf(element: HTMLElement): HTMLElement {
  return within(element).getByRole('button', { name: /^Sandbox: / });
}

describe('the badge of a sandbox', () => {
  it.each([
    [FULL, 'Sandbox: folder', 'badge'],
    [PARTIAL, 'Sandbox: read-only, partial', 'badge warn'],
    [NONE, 'Sandbox: folder, not kept', 'badge warn'],
  ])('says what holds now in the header: %o', (walls, words, look) => {
    const { element } = showPanel({ store: storeOf([], session({ walls })) });
    const badge = badgeOf(element);
    expect(badge.textContent).toBe(words);
    expect(badge.className).toBe(look);
    expect(badge.title).toContain(walls.why);
  });

  it('opens why it is not kept, and closes it', async () => {
    const { element, view } = showPanel({ store: storeOf([], session({ walls: NONE })) });
    const badge = badgeOf(element);
    expect(view.queryByRole('group', { name: 'Sandbox' })).toBeNull();
    fireEvent.click(badge);
    await waitFor(() => expect(badge.getAttribute('aria-expanded')).toBe('true'));
    const note = view.getByRole('group', { name: 'Sandbox' });
    expect(note.id).toBe(badge.getAttribute('aria-controls'));
    expect(note.textContent).toContain(`Not enforced here:${WHY}`);
    fireEvent.click(badge);
    await waitFor(() => expect(view.queryByRole('group', { name: 'Sandbox' })).toBeNull());
  });

  it('says what is reached of the network, where that is not all', () => {
    const walls: WallsInForce = { ...FULL, network: 'hosts' };
    const { element } = showPanel({ store: storeOf([], session({ walls })) });
    expect(badgeOf(element).title).toContain('hosts that are named');
    const all = showPanel({ store: storeOf([], session({ walls: FULL })) });
    expect(badgeOf(all.element).title).not.toContain('reaches');
  });

  it('stands over a turn that runs, and not over one that is over', () => {
    const state = session({ walls: PARTIAL });
    expect(badgeOf(draw([], { session: state }).element).closest('.acp-head')).toBeTruthy();
    const over = draw([], { session: state, turn: DONE });
    expect(over.view.queryByRole('button', { name: /^Sandbox: / })).toBeNull();
  });

  it('is not there without a sandbox', () => {
    const off: WallsInForce = { sandbox: 'off', level: 'none', network: 'all', why: '' };
    for (const walls of [null, off]) {
      const { view } = draw([], { session: session({ walls, sandbox: 'folder' }) });
      expect(view.queryByRole('button', { name: /^Sandbox: / })).toBeNull();
    }
  });
});
