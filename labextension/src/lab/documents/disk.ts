import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

import type { Conflict, MergedContent } from './merge/merged_content';

type Facts = Pick<Contents.IModel, 'hash' | 'last_modified'>;

/** The part of a document's context that describes its file when it was loaded. */
type Loaded = Pick<
  DocumentRegistry.IContext<DocumentRegistry.IModel>,
  'contentsModel' | 'lastModifiedCheckMargin' | 'path'
>;

/** Whether a file was changed since it was loaded; `null` if that is not known. */
export async function changedOnDisk(
  { contentsModel, lastModifiedCheckMargin, path }: Loaded,
  contents: Pick<Contents.IManager, 'get'>,
): Promise<boolean | null> {
  const known: Facts | null = contentsModel;
  if (known === null) {
    return null;
  }
  try {
    const { last_modified } = await contents.get(path, { content: false });
    if (last_modified === known.last_modified) {
      return false; // request the hash only if needed, as the server reads the whole file for it
    }
    const disk: Facts = await contents.get(path, { content: false, hash: true });
    return known.hash && disk.hash
      ? known.hash !== disk.hash
      : Date.parse(disk.last_modified) - Date.parse(known.last_modified) > lastModifiedCheckMargin;
  } catch {
    return null;
  }
}

type Context = DocumentRegistry.IContext<DocumentRegistry.IModel>;

/**
 * Merges a file that was changed on disk into its document; `null` if it can't be loaded.
 *
 * JupyterLab saves without asking only after its own `revert`, but that replaces the whole
 * document. So `revert` is called with the model's loading replaced by a merge.
 */
export async function loadMerged(
  context: Context,
  contents: Contents.IManager,
  merged: MergedContent,
): Promise<readonly Conflict[] | null> {
  const { type, format } = context.contentsModel ?? {};
  try {
    // A file that can't be loaded, e.g. a half-written notebook, would bring up a dialog.
    const file: { readonly content: unknown } = await contents.get(context.path, {
      content: true,
      ...(type === undefined ? {} : { type }),
      ...(format === undefined || format === null ? {} : { format }),
    });
    if (!merged.canLoad(file.content)) {
      return null;
    }
  } catch {
    return null;
  }
  const { model } = context;
  const loads: (readonly Conflict[])[] = [];
  const load = (content: unknown) => {
    loads.push(merged.load(content));
  };
  Object.assign(model, { fromJSON: load, fromString: load });
  try {
    await context.revert();
  } finally {
    Reflect.deleteProperty(model, 'fromJSON');
    Reflect.deleteProperty(model, 'fromString');
  }
  // JupyterLab does not pass on an empty text.
  return loads[0] ?? (!context.isDisposed && merged.canLoad('') ? merged.load('') : null);
}
