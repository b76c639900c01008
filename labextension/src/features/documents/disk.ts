import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

import type { Conflict, MergedContent } from './merge/merged_content';

type Facts = Pick<Contents.IModel, 'hash' | 'last_modified'>;

/** What is needed of a document to compare it with its file. */
type Loaded = Pick<
  DocumentRegistry.IContext<DocumentRegistry.IModel>,
  'contentsModel' | 'lastModifiedCheckMargin' | 'path'
>;

/** Whether a file is another than it was when it was loaded; `null` where that is not known. */
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
      return false; // what a file holds is asked for only then: that is to read it
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
 * Loads the file that was changed on disk, into what is there; `null` where it can't be loaded.
 *
 * JupyterLab's own way to load a file replaces the whole document, and is the only one after which
 * it knows the file and saves without asking. So it is let to load, and what it would replace the
 * document with is merged.
 */
export async function loadMerged(
  context: Context,
  contents: Contents.IManager,
  merged: MergedContent,
): Promise<readonly Conflict[] | null> {
  const { type, format } = context.contentsModel ?? {};
  try {
    // What can't be loaded, e.g. a notebook that is half written, would bring up a dialog.
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
  // An empty text is not handed on, and nothing is to a document that was closed meanwhile.
  return loads[0] ?? (!context.isDisposed && merged.canLoad('') ? merged.load('') : null);
}
