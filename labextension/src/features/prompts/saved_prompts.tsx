import type { ComponentProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { AddedCommand, Addition, CommandForm } from '../../views/additions';
import type { Translate } from '../../views/i18n';
import { useUniqueId } from '../../views/scene';
import type { PromptArgument, SavedPrompt } from '../../wire/types';

/** The saved prompts as commands; their files are read again for each list. */
export function savedPrompts(
  list: (sessionId: string) => Promise<readonly SavedPrompt[]>,
  t: Translate,
): Addition {
  return {
    slashCommands: async sessionId => {
      try {
        return (await list(sessionId)).map(prompt => commandOf(prompt, t));
      } catch (error) {
        console.warn(error); // the agent's own commands are offered without them
        return [];
      }
    },
  };
}

function commandOf(prompt: SavedPrompt, t: Translate): AddedCommand {
  const { name, problem, agent, arguments: args } = prompt;
  const about = [prompt.description, agent === '' ? '' : t('For %1.', agent)];
  return {
    name,
    hint: args.map(hintOf).join(' '),
    description: about.filter(words => words !== '').join(' '),
    label: t('saved prompt'),
    agent,
    problem,
    form: args.length === 0 ? null : props => <PromptForm {...props} prompt={prompt} t={t} />,
  };
}

function hintOf({ name, default: value }: PromptArgument): string {
  return value === null ? name : `[${name}]`;
}

type FormProps = ComponentProps<CommandForm> & {
  readonly prompt: SavedPrompt;
  readonly t: Translate;
};

/** Asks for the arguments of a saved prompt. */
function PromptForm({ prompt, t, onDone, onCancel }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const id = useUniqueId();
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const submit = () => {
    const inputs = [...(form.current?.querySelectorAll('input') ?? [])];
    const values = new Map(inputs.map(({ name, value }) => [name, value]));
    onDone(messageOf(prompt, name => values.get(name) ?? ''));
  };
  return (
    <form
      ref={form}
      class="acp-pop acp-PromptForm"
      aria-label={t('Arguments of /%1', prompt.name)}
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          onCancel();
        }
      }}
    >
      <p>
        <b>/{prompt.name}</b> <span class="muted">{prompt.description}</span>
      </p>
      {prompt.arguments.map((argument, index) => (
        <div class="acp-field" key={argument.name}>
          <label for={`${id}-${index}`}>{argument.name}</label>
          {argument.description !== '' && (
            <small class="muted" id={`${id}-${index}-about`}>
              {argument.description}
            </small>
          )}
          <input
            id={`${id}-${index}`}
            name={argument.name}
            type="text"
            dir="auto"
            autocomplete="off"
            defaultValue={argument.default ?? ''}
            required={argument.default === null}
            aria-describedby={argument.description === '' ? undefined : `${id}-${index}-about`}
          />
        </div>
      ))}
      <div class="acts">
        <button type="submit" class="btn small">
          {t('Insert')}
        </button>
        <button type="button" class="btn quiet small" onClick={onCancel}>
          {t('Cancel')}
        </button>
      </div>
    </form>
  );
}

/** The message that calls a prompt with these arguments; those with their defaults are left out. */
export function messageOf(prompt: SavedPrompt, valueOf: (name: string) => string): string {
  const given = prompt.arguments.flatMap(argument => {
    const value = valueOf(argument.name);
    return value === argument.default ? [] : [`${argument.name}=${quoted(value)}`];
  });
  return [`/${prompt.name}`, ...given, ''].join(' ');
}

function quoted(value: string): string {
  return /^[^\s"]\S*$/u.test(value) ? value : JSON.stringify(value);
}
