import type { SlashCommand } from '../../wire/types';

/** Most commands shown at once. */
const SHOWN = 8;

/** The commands that what was typed may become; only at the start of the message. */
export function slashMatches(
  text: string,
  commands: readonly SlashCommand[],
): readonly SlashCommand[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) {
    return [];
  }
  const starts = commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
  const others = commands.filter(
    command => !starts.includes(command) && command.name.toLowerCase().includes(typed),
  );
  return [...starts, ...others].slice(0, SHOWN);
}

/** The message once a command is taken: its arguments follow the space. */
export function withCommand({ name }: SlashCommand): string {
  return `/${name} `;
}
