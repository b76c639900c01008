import { fireEvent } from '@testing-library/preact';
import { afterEach, expect, it, vi } from 'vitest';

import { command, permission, turn } from '../../tests/support/build';
import { draw } from '../../tests/support/draw';
import { events } from '../../tests/support/trusted';
import { blockScriptEvents, press } from './user_events';
import { listenToKeys } from './parts/keyboard';

afterEach(() => {
  events.areByPerson = true;
  document.body.replaceChildren();
});

/** A view with a button, and the events that reached it. */
function makeView() {
  const view = document.createElement('div');
  view.className = 'acp';
  const button = document.createElement('button');
  view.append(button);
  document.body.append(view);
  const clicked = vi.fn();
  const keyed = vi.fn(() => true);
  button.addEventListener('click', clicked);
  const stops = [blockScriptEvents(view), listenToKeys(view, keyed)];
  return { button, clicked, keyed, stop: () => stops.forEach(each => each()) };
}

it('hears the clicks and keys of people, and none of a script', () => {
  const { button, clicked, keyed, stop } = makeView();
  events.areByPerson = false;
  button.click();
  fireEvent.click(button);
  fireEvent.keyDown(button, { key: '1' });
  expect(clicked).not.toHaveBeenCalled();
  expect(keyed).not.toHaveBeenCalled();
  events.areByPerson = true;
  button.click();
  fireEvent.keyDown(button, { key: '1' });
  expect(clicked).toHaveBeenCalledOnce();
  expect(keyed).toHaveBeenCalledOnce();
  stop();
});

it('presses a button for a person, and only that one', () => {
  const { button, clicked, stop } = makeView();
  const other = button.cloneNode();
  button.after(other);
  events.areByPerson = false;
  button.addEventListener('click', () => fireEvent.click(other));
  const reached = vi.fn();
  other.addEventListener('click', reached);
  press(button);
  press(null);
  expect(clicked).toHaveBeenCalledOnce();
  expect(reached).not.toHaveBeenCalled();
  button.click();
  expect(clicked).toHaveBeenCalledOnce();
  stop();
});

it.each(['click', 'key'])('answers no request by the %s of a script', how => {
  const answerPermission = vi.fn(() => Promise.resolve());
  const asking = command('c', { status: 'pending', permission: permission() });
  const { view } = draw([asking], {
    turn: turn({ status: 'requires_action' }),
    actions: { answerPermission },
  });
  const [allow] = view.getAllByRole('button', { name: /allow/i });
  expect(allow).toBeDefined();
  if (allow === undefined) {
    return;
  }
  const act = () => (how === 'click' ? allow.click() : fireEvent.keyDown(allow, { key: '1' }));
  events.areByPerson = false;
  act();
  expect(answerPermission).not.toHaveBeenCalled();
  events.areByPerson = true;
  act();
  expect(answerPermission).toHaveBeenCalledOnce();
});
