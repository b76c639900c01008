import { CommandRegistry } from '@lumino/commands';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { isOfUser } from './user_input';

afterEach(() => document.body.replaceChildren());

const commands = new CommandRegistry();
commands.addCommand('acp-jupyter:go-to-permission', { execute: vi.fn() });
commands.addKeyBinding({
  ...{ command: 'acp-jupyter:go-to-permission', keys: ['Alt Shift Y'], selector: 'body' },
});
commands.addCommand('apputils:activate-command-palette', { execute: vi.fn() });
commands.addKeyBinding({
  ...{ command: 'apputils:activate-command-palette', keys: ['Ctrl Shift C'], selector: 'body' },
});

function happens(event: Event, place = ''): boolean {
  document.body.innerHTML = `<div class="${place}"><button>Yes</button></div>`;
  let isPausing = false;
  const listen = (heard: Event) => {
    isPausing = isOfUser(heard, commands);
  };
  document.body.addEventListener(event.type, listen);
  document.querySelector('button')?.dispatchEvent(event);
  document.body.removeEventListener(event.type, listen);
  return isPausing;
}

const bubbles = true;

describe('what pauses following', () => {
  it('is any scroll, click or key of the user', () => {
    expect(happens(new WheelEvent('wheel', { bubbles }))).toBe(true);
    expect(happens(new MouseEvent('pointerdown', { bubbles }))).toBe(true);
    expect(happens(new KeyboardEvent('keydown', { bubbles, key: 'a', keyCode: 65 }))).toBe(true);
  });

  it('is no answer to the agent, and no key that leads to one', () => {
    expect(happens(new MouseEvent('pointerdown', { bubbles }), 'acp')).toBe(false);
    expect(happens(new KeyboardEvent('keydown', { bubbles, key: '1', keyCode: 49 }), 'acp')).toBe(
      false,
    );
    expect(happens(new KeyboardEvent('keydown', { bubbles, key: 'Shift' }))).toBe(false);
    const chord = { bubbles, key: 'Y', keyCode: 89, altKey: true, shiftKey: true };
    expect(happens(new KeyboardEvent('keydown', chord))).toBe(false);
  });

  it.each(['lm-MenuBar', 'lm-Menu', 'lm-CommandPalette', 'jp-ModalCommandPalette'])(
    'is nothing in %s, where it is turned off',
    place => {
      expect(happens(new MouseEvent('pointerdown', { bubbles }), place)).toBe(false);
      expect(happens(new KeyboardEvent('keydown', { bubbles, key: 'f', keyCode: 70 }), place)).toBe(
        false,
      );
    },
  );

  it('is no key that opens the command palette', () => {
    const chord = { bubbles, key: 'C', keyCode: 67, ctrlKey: true, shiftKey: true };
    expect(happens(new KeyboardEvent('keydown', chord))).toBe(false);
  });

  it('is a scroll of an output, and none of the panel', () => {
    expect(happens(new WheelEvent('wheel', { bubbles }), 'acp')).toBe(true);
    expect(happens(new WheelEvent('wheel', { bubbles }), 'acp-SessionPanel')).toBe(false);
  });
});
