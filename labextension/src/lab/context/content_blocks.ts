import type { DocumentRegistry } from '@jupyterlab/docregistry';

import { Failure } from '../../delivery/failure';
import type { DraftAttachment } from '../../state/attachments';
import type { Translate } from '../../views';
import type { PromptSession, SessionState } from '../../wire/types';
import type { CurrentNotebook } from '../page/current_notebook';
import { baseOf, fileUri } from '../page/paths';
import { isLeftOut, withoutLeftOut } from '../page/cell_context';
import { cellById, cellText } from './cells';
import type { NumberedCell } from './cells';
import { coveredError } from './covered_error';
import { shortenMiddle } from './shorten_middle';
import type { Variables } from './variables';

/** An ACP content block. */
export type Block = Exclude<PromptSession['prompt'], string>[number];

/** Longest text of an open document; a longer one is sent as a link to the file. */
const MAX_DOCUMENT_CHARS = 400_000;

export interface BlockSources {
  readonly root: string;
  readonly notebook: CurrentNotebook;
  readonly variables: Variables;
  readonly document: (path: string) => DocumentRegistry.Context | null;
  /** Replaces the secrets of a session in a text. */
  readonly redacted: (text: string, sessionId: string) => Promise<string>;
  readonly t: Translate;
}

/** What is known of the session that gets the blocks. */
export type BlockSession = Pick<
  SessionState,
  'session_id' | 'cwd' | 'folder' | 'prompt_capabilities'
>;

/** Makes the content blocks of attachments; throws a `Failure` for one that no longer exists. */
export async function blocksOf(
  attachments: readonly DraftAttachment[],
  session: BlockSession,
  sources: BlockSources,
): Promise<Block[]> {
  const blocks = await Promise.all(
    attachments.map(one =>
      one.kind === 'output'
        ? formsOf(one, session, sources)
        : blockOf(one, session, sources).then(block => [block]),
    ),
  );
  return blocks.flat();
}

/**
 * An output as a picture if the agent takes images, else as text.
 *
 * What the agent takes is known once it has run. Before that it is both, with one address: the
 * server then sends the one that the agent takes.
 */
async function formsOf(
  one: Extract<DraftAttachment, { kind: 'output' }>,
  { session_id: sessionId, prompt_capabilities: takes }: BlockSession,
  sources: BlockSources,
): Promise<Block[]> {
  const { t } = sources;
  const cell = cellOf(one, sources);
  if (isLeftOut(cell.model)) {
    throw new Failure(
      t('Cell %1 is left out now, so nothing was sent. Remove its output.', cell.number),
      'left_out',
    );
  }
  const { picture, text, leftOut } = one;
  const uri = addressOf(one.notebook, `cell-${cell.number}-output-${one.number}`);
  const forms: Block[] = [];
  if (picture !== null && (takes.length === 0 || takes.includes('image'))) {
    forms.push({ type: 'image', ...picture, uri });
  }
  if (forms.length === 0 || takes.length === 0) {
    const said = await sources.redacted(text, sessionId);
    forms.push(embedded(uri, shortenMiddle(said, undefined, leftOut)));
  }
  return forms;
}

async function blockOf(
  one: Exclude<DraftAttachment, { kind: 'output' }>,
  session: BlockSession,
  sources: BlockSources,
): Promise<Block> {
  const { root, notebook, variables, t } = sources;
  switch (one.kind) {
    case 'file':
      return resourceLink(one.path, fileUri(root, session, one.path));
    case 'document': {
      const context = sources.document(one.path);
      const uri = fileUri(root, session, one.path);
      const unsaved = context?.model.dirty === true ? textOf(context) : '';
      // The agent reads a saved file by itself, as much of it as it needs.
      return unsaved === '' || unsaved.length > MAX_DOCUMENT_CHARS
        ? resourceLink(one.path, uri)
        : embedded(uri ?? addressOf(one.path), unsaved);
    }
    case 'cell': {
      const cell = cellOf(one, sources);
      return embedded(addressOf(one.notebook, `cell-${cell.number}`), cellText(cell));
    }
    case 'variable': {
      const kernel = notebook.find(one.notebook)?.sessionContext.session?.kernel ?? null;
      const described = kernel === null ? null : await variables.describe(kernel, one.name);
      return embedded(
        addressOf(one.notebook, 'variable', one.name),
        described === null
          ? `${one.label} (${t('its value could not be read: the kernel is busy or stopped')})`
          : shortenMiddle(described),
      );
    }
    case 'error': {
      const kernel = notebook.find(one.notebook)?.sessionContext.session?.kernel ?? null;
      const text = await coveredError(kernel, { name: one.label, text: one.text });
      return embedded(addressOf(one.notebook, one.label), text);
    }
    case 'selection':
      return embedded(addressOf(one.path, one.label), one.text);
    case 'text':
      return embedded(addressOf('', one.label), one.text, one.mimeType);
    case 'image':
      return { type: 'image', data: one.data, mimeType: one.mimeType };
  }
}

function cellOf(
  { notebook: path, cellId, label }: Extract<DraftAttachment, { kind: 'cell' | 'output' }>,
  { notebook, t }: BlockSources,
): NumberedCell {
  const panel = notebook.find(path);
  const cell = panel === null ? null : cellById(panel, cellId);
  if (cell === null) {
    throw new Failure(t('%1 is no longer there, so nothing was sent. Remove it.', label), 'gone');
  }
  return cell;
}

function textOf({ model, path }: DocumentRegistry.Context): string {
  return path.endsWith('.ipynb')
    ? JSON.stringify(withoutLeftOut(model.toJSON()), null, 1)
    : model.toString();
}

function resourceLink(path: string, uri: string | null): Block {
  return uri === null
    ? { type: 'text', text: path }
    : { type: 'resource_link', uri, name: baseOf(path) };
}

function embedded(uri: string, text: string, mimeType = 'text/plain'): Block {
  return { type: 'resource', resource: { uri, text, mimeType } };
}

/** A `jupyter:` URI for something that is no file, so that no agent looks for it on disk. */
function addressOf(path: string, ...parts: string[]): string {
  const names = [...path.split('/'), ...parts].filter(part => part !== '');
  return `jupyter:${names.map(encodeURIComponent).join('/')}`;
}
