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

const frame = () => new Promise(resolve => requestAnimationFrame(resolve));

it('takes the focus back that a notebook takes late, but not one that a person moves', async () => {
  const shown = cell(output('one', true, true));
  const notebook = document.createElement('button');
  document.body.append(notebook);
  focusRequest(shown.cell);
  notebook.focus();
  await frame();
  expect(focused()).toBe('r-one');
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  notebook.focus();
  await frame();
  expect(document.activeElement).toBe(notebook);
});

it('is given the focus again where its output is drawn again', async () => {
  const shown = cell(output('one', true, true));
  focusRequest(shown.cell);
  shown.cell.replaceChildren();
  await frame();
  expect(document.activeElement).toBe(document.body);
  shown.cell.append(output('one', true, true));
  await frame();
  expect(focused()).toBe('r-one');
});

it('is given the focus in a cell that has taken the place of its own', async () => {
  const shown = cell(output('one', true, true));
  focusRequest(shown.cell);
  shown.cell.remove();
  cell(output('one', true, true));
  await frame();
  expect(focused()).toBe('r-one');
});

it('tries as long as it can not have the focus', async () => {
  const shown = cell(output('one', true, true));
  focusRequest(shown.cell);
  const card = shown.cell.querySelector<HTMLElement>('[data-request]');
  card?.blur();
  card?.removeAttribute('tabindex');
  for (let frames = 0; frames < 8; frames += 1) {
    await frame();
  }
  expect(document.activeElement).toBe(document.body);
  card?.setAttribute('tabindex', '-1');
  await frame();
  expect(focused()).toBe('r-one');
});

it('leaves the focus to a dialog', async () => {
  const shown = cell(output('one', true, true));
  const dialog = document.createElement('dialog');
  dialog.innerHTML = '<button></button>';
  document.body.append(dialog);
  dialog.open = true;
  focusRequest(shown.cell);
  const button = dialog.querySelector('button');
  button?.focus();
  await frame();
  expect(document.activeElement).toBe(button);
});
