/*
 * Puts fences that an agent wrote after text on the same line on their own lines.
 * `acp_jupyter/transcript/glued_fences.py` does the same for saved text, and says why.
 */

const FENCE = /(?<![`~])(?:`{3,}|~{3,})(?![`~])/g;
const LANGUAGE = /^[\w+#.{}=-]*[ \t]*$/;
/** The beginning of a line in a quote or a list. */
const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/;

interface Fence {
  readonly marks: string;
  readonly at: number;
}

function fencesOf(line: string): Fence[] {
  return line.includes('```') || line.includes('~~~')
    ? [...line.matchAll(FENCE)].map(found => ({ marks: found[0], at: found.index }))
    : [];
}

function markerLength(line: string): number {
  return CONTAINERS.exec(line)?.[0].length ?? 0;
}

/** The fence that ends a line which begins with text. */
function afterText(line: string, fences: readonly Fence[]): Fence | null {
  const last = fences[fences.length - 1];
  if (last === undefined || last.at <= markerLength(line)) {
    return null;
  }
  return LANGUAGE.test(line.slice(last.at + last.marks.length)) ? last : null;
}

function closes(line: string, marks: string): boolean {
  const end = line.replace(/^[ \t>]+|[ \t>]+$/g, '');
  return end.length >= marks.length && end === (marks[0] ?? '').repeat(end.length);
}

/** The text with which the line of a fence must begin; `null` if it is no fence. */
function indentOf(lines: readonly string[], number: number, { marks, at }: Fence): string | null {
  const line = lines[number] ?? '';
  for (let after = number + 1; after < lines.length; after += 1) {
    const later = lines[after] ?? '';
    const place = later.indexOf(marks);
    if (place >= 0) {
      return closes(later, marks) && after > number + 1 ? later.slice(0, place) : null;
    }
  }
  const isLast = lines.slice(number + 1).every(later => later.trim() === '');
  if (line.slice(at + marks.length).trim() === '' || isLast) {
    return null;
  }
  return line.slice(0, markerLength(line)).replace(/[^\s>]/g, ' ');
}

/** The text with each fence at the beginning of a line. */
export function fencesApart(text: string): string {
  const lines = text.split('\n');
  if (!lines.some(line => afterText(line, fencesOf(line)) !== null)) {
    return text;
  }
  const apart: string[] = [];
  let open = '';
  let runs = new Map<string, number>();
  lines.forEach((line, number) => {
    const fences = open === '' ? fencesOf(line) : [];
    const [first] = fences;
    if (open !== '') {
      open = closes(line, open) ? '' : open;
    } else if (
      first?.at === markerLength(line) &&
      !(first.marks.startsWith('`') && line.slice(first.at + first.marks.length).includes('`'))
    ) {
      open = first.marks;
      runs = new Map();
    } else {
      runs = line.trim() === '' ? new Map<string, number>() : runs;
      fences.forEach(({ marks }) => runs.set(marks, (runs.get(marks) ?? 0) + 1));
      const fence = afterText(line, fences);
      // A second such run would end a code span.
      const alone =
        fence !== null && (fence.marks.startsWith('~') || (runs.get(fence.marks) ?? 0) % 2 === 1);
      const indent = fence !== null && alone ? indentOf(lines, number, fence) : null;
      if (fence !== null && indent !== null) {
        open = fence.marks;
        runs = new Map();
        apart.push(line.slice(0, fence.at).trimEnd(), indent + line.slice(fence.at));
        return;
      }
    }
    apart.push(line);
  });
  return apart.join('\n');
}
