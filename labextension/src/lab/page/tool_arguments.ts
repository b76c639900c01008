import { isRecord } from '../../wire/read';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The objects that may be the arguments of a tool call, as its agent shows them.
 *
 * Each agent puts them beside the tool's name in its own way.
 */
export function argumentsShown(input: unknown): readonly Arguments[] {
  const shown = isRecord(input) ? input : {};
  const asked = objectAt(objectAt(shown, 'request'), '_meta');
  const inner = ['arguments', 'args', 'input', 'params', 'parameters'].map(key =>
    objectAt(shown, key),
  );
  return [shown, ...inner, objectAt(asked, 'tool_params')];
}

function objectAt(from: Arguments, key: string): Arguments {
  const value = from[key];
  return isRecord(value) ? value : {};
}
