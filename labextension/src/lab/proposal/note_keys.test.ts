import { fireEvent } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { SESSION } from '../../../tests/support/build';
import { SessionStore } from '../../state/store';
import { identity } from '../../views/i18n';
import { mountProposalNote } from './proposal_note';

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

/**
 * A note under the first of two cells, in command mode; and the effect of Tab in the second one.
 */
function show() {
  document.body.innerHTML = `<div class="jp-Notebook jp-mod-commandMode">
    <div class="jp-Cell"><div class="acp"></div></div><div class="jp-Cell"></div></div>`;
  const [own, other] = [...document.querySelectorAll<HTMLElement>('.jp-Cell')];
  const element = document.querySelector<HTMLElement>('.acp');
  if (own === undefined || other === undefined || element === null) {
    throw new Error('no cells');
  }
  const insert = vi.fn<() => void>();
  mountProposalNote(element, {
    label: 'Fix',
    ...{ inCommandMode: true, step: 's1', words: '', tone: 'info', diff: null, note: '' },
    ...{ language: 'python', actions: [{ name: 'Insert', key: 'Tab', run: insert }] },
    scene: {
      store: new SessionStore(SESSION),
      ...{ host: 'panel' as const, actions: null, t: identity, announce: () => undefined },
    },
  });
  const press = () => {
    fireEvent.keyDown(other, { key: 'Tab' });
    return insert.mock.calls.length;
  };
  return { own, press };
}

/** The notebook is 100 high; its notes begin at some height. */
function place(top: number): void {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return this.matches('.jp-Notebook') ? new DOMRect(0, 0, 9, 100) : new DOMRect(0, top, 9, 50);
  });
}

describe('keys of a note in the command mode of its notebook', () => {
  it('count while it is in view', () => {
    const { press } = show();
    place(90);
    expect(press()).toBe(1);
    place(110);
    expect(press()).toBe(1);
  });

  it('count while its cell is active', () => {
    const { own, press } = show();
    place(110);
    own.classList.add('jp-mod-active');
    expect(press()).toBe(1);
  });
});
