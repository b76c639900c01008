import type { InputHTMLAttributes } from 'preact';

import type { ElicitationField } from '../../wire/types';
import { OWN_KEYS } from '../parts/keyboard';
import { Visible } from '../parts/odd_characters';
import { useScene, useUniqueId } from '../scene';
import type { Value } from './elicitation_values';

/** Up to this number of choices are radio buttons, more are a list. */
const MAX_RADIOS = 7;

interface FieldProps {
  readonly field: ElicitationField;
  readonly value: Value;
  readonly problem: string;
  readonly disabled: boolean;
  readonly onChange: (value: Value) => void;
}

/** A field of a form with its label, its description, and the problem with its answer. */
export function QuestionField(props: FieldProps) {
  const { field, value, problem } = props;
  const { t } = useScene();
  const id = useUniqueId();
  const words = [field.description, field.words].filter(text => text !== '').join(' ');
  const described = [words === '' ? '' : `${id}-words`, problem === '' ? '' : `${id}-problem`];
  const control = {
    ...OWN_KEYS,
    id,
    disabled: props.disabled,
    'aria-required': field.required,
    'aria-invalid': problem !== '',
    'aria-describedby': described.filter(each => each !== '').join(' ') || undefined,
  };
  const label = (
    <>
      <bdi>
        <Visible text={field.label} />
      </bdi>
      {field.required && <span class="muted"> {t('(required)')}</span>}
    </>
  );
  const notes = (
    <>
      {words !== '' && (
        <p class="muted" id={`${id}-words`} dir="auto">
          <Visible text={words} />
        </p>
      )}
      {problem !== '' && (
        <p class="err" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  );
  if (field.type === 'boolean') {
    return (
      <div class="acp-field">
        <label class="tick">
          <input
            type="checkbox"
            {...control}
            checked={value === true}
            onChange={event => props.onChange(event.currentTarget.checked)}
          />
          {label}
        </label>
        {notes}
      </div>
    );
  }
  const isSet =
    field.type === 'choices' || (field.type === 'choice' && field.choices.length <= MAX_RADIOS);
  if (isSet) {
    return (
      <fieldset
        class="acp-field"
        disabled={props.disabled}
        aria-describedby={control['aria-describedby']}
      >
        <legend>{label}</legend>
        <Ticks {...props} name={id} />
        {notes}
      </fieldset>
    );
  }
  return (
    <div class="acp-field">
      <label for={id}>{label}</label>
      {field.type === 'choice' ? (
        <select
          {...control}
          value={String(value)}
          onChange={event => props.onChange(event.currentTarget.value)}
        >
          <option value="">{field.required ? t('Choose') : t('No answer')}</option>
          {field.choices.map(choice => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...control}
          {...inputOf(field)}
          dir="auto"
          value={String(value)}
          onInput={event => props.onChange(event.currentTarget.value)}
        />
      )}
      {notes}
    </div>
  );
}

/** Radio buttons or checkboxes for a few choices. */
function Ticks({ field, value, name, onChange }: FieldProps & { readonly name: string }) {
  const { t } = useScene();
  const several = field.type === 'choices';
  const chosen = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  const none = { value: '', label: t('No answer'), description: '' };
  const choices = several || field.required ? field.choices : [...field.choices, none];
  const choose = (choice: string, on: boolean) => {
    if (!several) {
      onChange(choice);
    } else {
      onChange(
        field.choices
          .map(each => each.value)
          .filter(each => (each === choice ? on : chosen.includes(each))),
      );
    }
  };
  return (
    <>
      {choices.map(choice => (
        <label key={choice.value} class="tick">
          <input
            {...OWN_KEYS}
            type={several ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(choice.value)}
            onChange={event => choose(choice.value, event.currentTarget.checked)}
          />
          <span>
            <bdi>
              <Visible text={choice.label} />
            </bdi>
            {choice.description !== '' && <small class="muted"> {choice.description}</small>}
          </span>
        </label>
      ))}
    </>
  );
}

/** Input attributes for a field; the browser does not validate. */
function inputOf(field: ElicitationField): InputHTMLAttributes {
  if (field.secret) {
    return { type: 'password', autocomplete: 'off' };
  }
  if (field.type === 'number' || field.type === 'integer') {
    return { type: 'text', inputMode: field.type === 'integer' ? 'numeric' : 'decimal' };
  }
  switch (field.format) {
    case 'email':
      return { type: 'email' };
    case 'uri':
      return { type: 'url' };
    case 'date':
      return { type: 'date' };
    case 'date-time':
      return { type: 'text', placeholder: '2026-03-01T12:00:00Z' };
    default:
      return { type: 'text' };
  }
}
