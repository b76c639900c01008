import { useScene } from '../parts/scene';

/** Longest value shown; Raw has the rest. */
const MAX_VALUE = 2_000;
const MAX_FIELDS = 40;

interface FieldsProps {
  readonly value: unknown;
  readonly paths: readonly string[];
}

/** The input of a tool of no known kind, as two columns and not as JSON. */
export function Fields({ value, paths }: FieldsProps) {
  const { t } = useScene();
  const rows = fieldsOf(value);
  if (rows.length === 0 && paths.length > 0) {
    rows.push(...paths.map((path): [string, string] => [t('File'), path]));
  }
  if (rows.length === 0) {
    return null;
  }
  return (
    <dl class="acp-fields">
      {rows.slice(0, MAX_FIELDS).map(([name, text], index) => [
        <dt key={`name ${index}`}>{name}</dt>,
        <dd key={`value ${index}`} dir="auto">
          {text}
        </dd>,
      ])}
    </dl>
  );
}

function fieldsOf(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [];
  }
  return Object.entries(value).map(([name, field]: [string, unknown]) => [
    name,
    (typeof field === 'string' ? field : JSON.stringify(field)).slice(0, MAX_VALUE),
  ]);
}
