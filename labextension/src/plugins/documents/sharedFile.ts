import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

import { Failure } from '../../delivery/failure';
import { changedOnDisk } from '../onDisk';

type Context = DocumentRegistry.IContext<DocumentRegistry.IModel>;

/** The name under which jupyter-collaboration saves; another kind of sharing saves by itself. */
const CONTENT_PROVIDER = 'rtc';
/** A save of theirs that is under way, or that waits for a pause in typing. */
const SAVE_MS = 3_000;

/** Has the server save a document that pages share, now. It never asks the user. */
export async function saveShared(context: Context, contents: Contents.IManager): Promise<void> {
  const kind =
    'cells' in context.model
      ? ({ type: 'notebook', format: 'json' } as const)
      : ({ type: 'file', format: 'text' } as const);
  try {
    await contents.save(context.path, { ...kind, contentProviderId: CONTENT_PROVIDER });
  } catch {
    await untilClean(context);
  }
}

/** Learns how the file stands now: JupyterLab would ask at the next save. Nothing is loaded. */
export async function noteFile(context: Context, contents: Contents.IManager): Promise<void> {
  if ((await changedOnDisk(context, contents)) === true && !context.isDisposed) {
    await context.revert();
  }
}

function untilClean({ model }: Context): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      if (model.isDisposed || !model.dirty) {
        model.stateChanged.disconnect(settle);
        clearTimeout(timer);
        resolve();
      }
    };
    const timer = setTimeout(() => {
      model.stateChanged.disconnect(settle);
      reject(new Failure('It was changed, and is not saved yet.', 'not_saved'));
    }, SAVE_MS);
    model.stateChanged.connect(settle);
    settle();
  });
}
