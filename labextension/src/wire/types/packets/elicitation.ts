/* Made by `make gen` from the models in acp_jupyter; edit those. */

export type FieldValue = string | boolean | number | string[];
/**
 * A field of a form.
 */
export interface ElicitationField {
  choices: ElicitationChoice[];
  default: FieldValue | null;
  description: string;
  /**
   * ``email``, ``uri``, ``date``, ``date-time``, or one that is not checked.
   */
  format: string;
  label: string;
  max_items: number | null;
  max_length: number | null;
  maximum: number | null;
  min_items: number | null;
  min_length: number | null;
  minimum: number | null;
  /**
   * As the answer spells it.
   */
  name: string;
  pattern: string;
  required: boolean;
  /**
   * Whether its name says that the answer must not be kept.
   */
  secret: boolean;
  /**
   * ``unknown`` is asked as text.
   */
  type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'unknown';
  /**
   * What the user should know of an unknown type.
   */
  words: string;
}
/**
 * One value of a field that offers some.
 */
export interface ElicitationChoice {
  description: string;
  label: string;
  value: string;
}
