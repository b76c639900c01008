import { isRecord } from '../../wire/read';
import type { ElicitationField, JsonValue } from '../../wire/types';
import type { Translate } from '../i18n';

/** Value of a control: a text, a tick, or several choices. */
export type Value = string | boolean | readonly string[];

export type Values = Readonly<Record<string, Value>>;

/** Problems by field name. */
export type Problems = Readonly<Record<string, string>>;

/** The values of the form: from the draft, else the fields' defaults. */
export function valuesOf(fields: readonly ElicitationField[], draft: string): Values {
  const before = read(draft);
  return Object.fromEntries(fields.map(field => [field.name, before[field.name] ?? first(field)]));
}

/** The answers to send; the server checks and counts them. */
export function contentOf(
  fields: readonly ElicitationField[],
  values: Values,
): Record<string, JsonValue> {
  const content: Record<string, JsonValue> = {};
  for (const { name } of fields) {
    const value = values[name];
    if (typeof value === 'boolean') {
      content[name] = value;
    } else if (value !== undefined && value.length > 0) {
      content[name] = typeof value === 'string' ? value : [...value];
    }
  }
  return content;
}

/** Problems that the page can find; the server checks patterns, with a time limit. */
export function problemsOf(
  fields: readonly ElicitationField[],
  values: Values,
  t: Translate,
): Problems {
  return Object.fromEntries(
    fields.flatMap(field => {
      const words = problemOf(field, values[field.name] ?? '', t);
      return words === '' ? [] : [[field.name, words]];
    }),
  );
}

function problemOf(field: ElicitationField, value: Value, t: Translate): string {
  if (typeof value === 'boolean') {
    return '';
  }
  if (value.length === 0) {
    return field.required ? t('Needs an answer.') : '';
  }
  if (typeof value !== 'string') {
    return countProblem(field, value.length, t);
  }
  if (field.type === 'number' || field.type === 'integer') {
    return numberProblem(field, value, t);
  }
  // As the server counts: characters, not UTF-16 code units.
  const { length } = Array.from(value);
  if (field.min_length !== null && length < field.min_length) {
    return t('Must have at least %1 characters.', field.min_length);
  }
  if (field.max_length !== null && length > field.max_length) {
    return t('Must have at most %1 characters.', field.max_length);
  }
  return '';
}

function countProblem(field: ElicitationField, count: number, t: Translate): string {
  if (field.min_items !== null && count < field.min_items) {
    return t('Choose at least %1.', field.min_items);
  }
  if (field.max_items !== null && count > field.max_items) {
    return t('Choose at most %1.', field.max_items);
  }
  return '';
}

function numberProblem(field: ElicitationField, text: string, t: Translate): string {
  const value = Number(text);
  if (!Number.isFinite(value)) {
    return t('Must be a number.');
  }
  if (field.type === 'integer' && !Number.isInteger(value)) {
    return t('Must be a whole number.');
  }
  if (field.minimum !== null && value < field.minimum) {
    return t('Must be at least %1.', field.minimum);
  }
  if (field.maximum !== null && value > field.maximum) {
    return t('Must be at most %1.', field.maximum);
  }
  return '';
}

function first(field: ElicitationField): Value {
  const value = field.default;
  switch (field.type) {
    case 'boolean':
      return value === true;
    case 'choices':
      return Array.isArray(value) ? value.map(String) : [];
    case 'choice':
    case 'integer':
    case 'number':
    case 'text':
    case 'unknown':
      return value === null || typeof value === 'boolean' ? '' : String(value);
  }
}

function read(draft: string): Record<string, Value> {
  if (draft === '') {
    return {};
  }
  const value: unknown = JSON.parse(draft); // written here, by us
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([name, each]) => (isValue(each) ? [[name, each]] : [])),
  );
}

function isValue(value: unknown): value is Value {
  return typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value);
}
