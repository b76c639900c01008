import { isRecord } from '../../wire/read';

/** A notebook's JSON as nbformat writes it: names in order, texts as lists of lines. */
export function diskForm(notebook: unknown): string {
  return `${JSON.stringify(laidOut(notebook, false), null, 1)}\n`;
}

/** @param lines - Whether a text here is written as lines. */
function laidOut(value: unknown, lines: boolean): unknown {
  if (typeof value === 'string') {
    return lines ? (value.match(/[^\n]*\n|[^\n]+/g) ?? []) : value;
  }
  if (Array.isArray(value)) {
    return value.map((each: unknown) => laidOut(each, false));
  }
  if (!isRecord(value)) {
    return value;
  }
  const isData = 'output_type' in value && isRecord(value.data);
  return Object.fromEntries(
    Object.keys(value)
      .filter(key => key !== 'trusted' && value[key] !== undefined)
      .sort()
      .map(key => [
        key,
        key === 'data' && isData
          ? dataLaidOut(value[key])
          : laidOut(value[key], (key === 'source' && 'cell_type' in value) || isStream(key, value)),
      ]),
  );
}

function isStream(key: string, value: Readonly<Record<string, unknown>>): boolean {
  return key === 'text' && value['output_type'] === 'stream';
}

function dataLaidOut(data: unknown): unknown {
  return isRecord(data)
    ? Object.fromEntries(
        Object.keys(data)
          .sort()
          .map(mime => [
            mime,
            laidOut(data[mime], mime.startsWith('text/') || mime === 'image/svg+xml'),
          ]),
      )
    : data;
}
