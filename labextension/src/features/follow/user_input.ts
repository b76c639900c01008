import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandRegistry } from '@lumino/commands';

const EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Keys that do nothing alone. */
const MODIFIERS = new Set(['Alt', 'AltGraph', 'CapsLock', 'Control', 'Meta', 'Shift']);

/** Our own commands, such as the one that goes to a permission request. */
const OWN = 'acp-jupyter:';

const PALETTE = 'apputils:activate-command-palette';

/** Menus and the command palette, where following is also turned off. */
const MENUS = '.lm-MenuBar, .lm-Menu, .lm-CommandPalette, .jp-ModalCommandPalette';

/**
 * Calls back when the user scrolls, clicks or presses a key; returns how to stop.
 *
 * Clicks and keys in our own views, such as the answer to a permission request, and the keys of our
 * commands don't count: they are part of following. Neither do menus and the command palette.
 */
export function onUserInput({ commands }: JupyterFrontEnd, act: () => void): () => void {
  const listen = (event: Event) => {
    if (event.isTrusted && isOfUser(event, commands)) {
      act();
    }
  };
  const options = { capture: true, passive: true };
  EVENTS.forEach(name => document.addEventListener(name, listen, options));
  return () => EVENTS.forEach(name => document.removeEventListener(name, listen, options));
}

/** Whether an event means that the user does something else. */
export function isOfUser(event: Event, commands: CommandRegistry): boolean {
  if (isIn(event, MENUS)) {
    return false;
  }
  if (event instanceof KeyboardEvent) {
    const keystroke = CommandRegistry.keystrokeForKeydownEvent(event);
    const isOwn = commands.keyBindings.some(
      ({ command, keys }) =>
        (command.startsWith(OWN) || command === PALETTE) && keys.includes(keystroke),
    );
    return !MODIFIERS.has(event.key) && !isOwn && !isIn(event, '.acp');
  }
  return !isIn(event, event.type === 'pointerdown' ? '.acp' : '.acp-SessionPanel');
}

function isIn({ target }: Event, places: string): boolean {
  return target instanceof Element && target.closest(places) !== null;
}
