import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

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
