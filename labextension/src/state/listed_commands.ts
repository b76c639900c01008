import type { SlashCommand } from '../wire/types';
import { slashMatches } from './attachments';

/** A command of the agent, or one that a feature added. */
export interface ListedCommand<Added> extends SlashCommand {
  /** Absent for a command of the agent. */
  readonly added?: Added;
}

/**
 * The agent's commands that match, then those that features add; the agent's own names win.
 *
 * @param t - Translates what is said where both have a name.
 */
export function listedCommands<Added extends SlashCommand & { readonly label: string }>(
  text: string,
  commands: readonly SlashCommand[],
  added: readonly Added[],
  t: (text: string, label: string) => string,
): readonly ListedCommand<Added>[] {
  const others = new Map(added.map(one => [one.name, one]));
  const own = slashMatches(text, commands).map(command => {
    const clash = others.get(command.name);
    if (clash === undefined) {
      return command;
    }
    const words = t('It is used, and not the %1 of this name.', clash.label);
    return { ...command, description: `${command.description} ${words}`.trim() };
  });
  const names = new Set(commands.map(({ name }) => name));
  const more = added.filter(({ name }) => !names.has(name));
  return [...own, ...slashMatches(text, more).map(one => ({ ...one, added: one }))];
}
