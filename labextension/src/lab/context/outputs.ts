import type { ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';

import { IMAGE_TYPES, MAX_IMAGE_BYTES } from '../../state/attachments';
import type { OutputAttachment, Picture } from '../../state/attachments';
import { isRecord } from '../../wire/read';
import { withoutColours } from '../page/without_colours';
import { linesOrText } from './output_text';
import { shortenMiddle } from './shorten_middle';

/** Most characters that are kept of an output; secrets are removed from these, then it is cut. */
const KEPT_CHARS = 60_000;

/** Longest HTML that is read for its tables. */
const HTML_CHARS = 2_000_000;

type Data = Readonly<Record<string, unknown>>;

/** What an output has for an agent: its text, and its picture if it shows one. */
export type AskedOutput = Pick<OutputAttachment, 'text' | 'leftOut' | 'picture'>;

/**
 * Reads one output of a cell; `null` if there is nothing in it to ask about.
 *
 * Not an error: its traceback may show other cells and masked values, see `errorOf`.
 */
export function readOutput(output: IOutput): AskedOutput | null {
  const data: Data = isRecord(output['data']) ? output['data'] : {};
  const picture = pictureIn(data);
  const isStream = output.output_type === 'stream';
  const whole = withoutColours(isStream ? linesOrText({ ...output }, 'text') : textOfData(data));
  if (output.output_type === 'error' || (picture === null && whole.trim() === '')) {
    return null;
  }
  const text = shortenMiddle(whole, KEPT_CHARS);
  return { text, leftOut: whole.length - text.length, picture };
}

/** The outputs of a cell that can be asked about, by their place. */
export function outputsOf({ outputs }: ICodeCellModel): ReadonlyMap<number, AskedOutput> {
  return new Map(
    outputs.toJSON().flatMap((output, index): [number, AskedOutput][] => {
      const read = readOutput(output);
      return read === null ? [] : [[index, read]];
    }),
  );
}

function pictureIn(data: Data): Picture | null {
  for (const mimeType of IMAGE_TYPES) {
    const base64 = linesOrText(data, mimeType).replace(/\s/g, '');
    if (base64 !== '' && bytesOf(base64) <= MAX_IMAGE_BYTES) {
      return { data: base64, mimeType };
    }
  }
  return null;
}

function bytesOf(base64: string): number {
  return base64.length * 0.75;
}

/** The data of a plot or a table as text, else the text that stands for it. */
function textOfData(data: Data): string {
  const plot = Object.keys(data).find(isData);
  if (plot !== undefined) {
    return JSON.stringify(data[plot]);
  }
  const html = linesOrText(data, 'text/html').slice(0, HTML_CHARS);
  const plain = ['text/markdown', 'text/plain', 'text/latex']
    .map(type => linesOrText(data, type))
    .find(text => text !== '');
  return (
    tablesIn(html) ||
    [pictureWords(data), linesOrText(data, 'image/svg+xml') || plain || plainText(html)]
      .filter(Boolean)
      .join('\n')
  );
}

/** JSON that has the data of a plot or of an object; not the state of a view of this page. */
function isData(type: string): boolean {
  return /^application\/(?:.+\+)?json$/.test(type) && !/\b(?:jupyter|acp-jupyter|bokeh)/.test(type);
}

/** Agents read it, so it is not translated. */
function pictureWords(data: Data): string {
  const type = Object.keys(data).find(each => each.startsWith('image/'));
  if (type === undefined || type === 'image/svg+xml') {
    return '';
  }
  const megabytes = bytesOf(linesOrText(data, type)) / 1_000_000;
  const isLarge = megabytes * 1_000_000 > MAX_IMAGE_BYTES;
  const more = isLarge ? `, too large to go along: ${megabytes.toFixed(1)} MB` : '';
  return `[a picture, ${type}${more}]`;
}

/** The tables of HTML as rows of cells; empty if there are none. */
function tablesIn(html: string): string {
  if (!/<table\b/i.test(html)) {
    return '';
  }
  const tables = [...parsed(html).querySelectorAll('table')].map(table => {
    const rows = [...table.rows].map(row => [...row.cells].map(cell => spaced(cell.textContent)));
    return rows.map(cells => `| ${cells.join(' | ')} |`).join('\n');
  });
  // Below a table pandas says how large it is.
  const size = /\d+ rows × \d+ columns/.exec(html)?.[0] ?? '';
  return [...tables, size].filter(Boolean).join('\n\n');
}

function plainText(html: string): string {
  const { body } = parsed(html);
  body.querySelectorAll('script, style').forEach(each => each.remove());
  return body.textContent.trim();
}

/** Parses HTML; nothing of it runs or is loaded. */
function parsed(html: string): Document {
  return new DOMParser().parseFromString(html, 'text/html');
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
