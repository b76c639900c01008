const FIRST_LINE = /^\s*%%acp\b[^\n]*/;

const PLAIN = /^[\w@%+=:,./-]+$/;

/** The source of a prompt cell with a name in its first line that doesn't go along, or without. */
export function withName(source: string, name: string, isOut: boolean): string {
  const line = FIRST_LINE.exec(source)?.[0];
  if (line === undefined) {
    return source;
  }
  const quoted = PLAIN.test(name) ? name : `'${name.replaceAll("'", `'"'"'`)}'`;
  const written = [quoted, `'${name}'`, `"${name}"`, name].flatMap(each => [
    ` --without ${each}`,
    ` --without=${each}`,
  ]);
  const others = written.reduce(
    (text, option) => (`${text} `.includes(`${option} `) ? removed(text, option) : text),
    line.trimEnd(),
  );
  const next = isOut ? `${others} --without ${quoted}` : others;
  return `${next}${source.slice(line.length)}`;
}

function removed(text: string, option: string): string {
  return `${text} `.replace(`${option} `, ' ').trimEnd();
}
