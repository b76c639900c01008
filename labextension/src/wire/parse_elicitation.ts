import { flag, list, number, oneOf, text } from './read';
import type { Elicitation, ElicitationAnswer, ElicitationField } from './types';

type Fields = Readonly<Record<string, unknown>>;
type Base = Pick<Elicitation, 'id' | 'turn_id'>;

/** A question of a saved record; it is drawn without controls. */
export function parseElicitation(base: Base, value: Fields): Elicitation {
  return {
    ...base,
    kind: 'elicitation',
    request_id: text(value, 'request_id'),
    state: oneOf(value, 'state', ['expired', 'pending', 'accepted', 'declined', 'cancelled']),
    mode: oneOf(value, 'mode', ['form', 'url', 'other']),
    title: text(value, 'title'),
    heading: text(value, 'heading'),
    message: text(value, 'message'),
    description: text(value, 'description'),
    fields: list(value, 'fields', parseField),
    url: text(value, 'url'),
    host: text(value, 'host'),
    tool_call_id: text(value, 'tool_call_id'),
    answers: list(value, 'answers', parseAnswer),
    outcome: text(value, 'outcome'),
    answered_by: text(value, 'answered_by'),
    asked_at: number(value, 'asked_at'),
  };
}

function parseAnswer(value: Fields): ElicitationAnswer {
  return { name: text(value, 'name'), label: text(value, 'label'), text: text(value, 'text') };
}

function parseField(value: Fields): ElicitationField {
  return {
    name: text(value, 'name'),
    label: text(value, 'label'),
    description: text(value, 'description'),
    type: oneOf(value, 'type', [
      'unknown',
      'text',
      'number',
      'integer',
      'boolean',
      'choice',
      'choices',
    ]),
    words: text(value, 'words'),
    required: flag(value, 'required'),
    secret: flag(value, 'secret'),
    default: null,
    choices: [],
    min_length: number(value, 'min_length'),
    max_length: number(value, 'max_length'),
    pattern: text(value, 'pattern'),
    format: text(value, 'format'),
    minimum: number(value, 'minimum'),
    maximum: number(value, 'maximum'),
    min_items: number(value, 'min_items'),
    max_items: number(value, 'max_items'),
  };
}
