import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { UNSELECTED_CLASS } from '../page/ids';
import { focusRequest } from './focus_request';

// The test's page doesn't have this method.
beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

afterEach(() => document.body.replaceChildren());

/** An output of a cell, with the tabs of two variants above it. */
function output(id: string, isShown: boolean, asks: boolean): HTMLElement {
  const child = document.createElement('div');
  child.className = isShown ? '' : UNSELECTED_CLASS;
  child.innerHTML =
    '<button role="tab" aria-controls="one"></button><button role="tab" aria-controls="two"></button>' +
    `<div role="tabpanel" id="${id}">` +
    (asks ? `<div data-request="r-${id}" tabindex="-1"><button>Allow</button></div>` : '') +
    '</div>';
  return child;
}

function cell(...outputs: HTMLElement[]): {
  readonly cell: HTMLElement;
  readonly clicked: string[];
} {
  const made = document.createElement('div');
  made.append(...outputs);
  document.body.append(made);
  const clicked: string[] = [];
  made.addEventListener('click', ({ target }) => {
    clicked.push(target instanceof Element ? (target.getAttribute('aria-controls') ?? '') : '');
  });
  return { cell: made, clicked };
}

const focused = () => document.activeElement?.getAttribute('data-request');

it('selects the tab of the variant that asks', () => {
  const shown = cell(output('one', true, false), output('two', false, true));
  expect(focusRequest(shown.cell)).toBe(true);
  expect(shown.clicked).toEqual(['two']);
  expect(focused()).toBe('r-two');
});

it('leaves the tab where the variant that is shown asks, too', () => {
  const shown = cell(output('one', true, true), output('two', false, true));
  expect(focusRequest(shown.cell)).toBe(true);
  expect(shown.clicked).toEqual([]);
  expect(focused()).toBe('r-one');
});

it('says that there is none', () => {
  const shown = cell(output('one', true, false));
  expect(focusRequest(shown.cell)).toBe(false);
});

it('takes the focus back that a notebook takes late, but not one that a person moves', () => {
  const shown = cell(output('one', true, true));
  const notebook = document.createElement('button');
  document.body.append(notebook);
  focusRequest(shown.cell);
  notebook.focus();
  expect(focused()).toBe('r-one');
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  notebook.focus();
  expect(document.activeElement).toBe(notebook);
});
