import { Dialog, Notification } from '@jupyterlab/apputils';

import type { Translate } from '../../views';
import { Comparison } from './comparison';
import type { Conflict, OpenDocument } from './openDocument';

/** What of a document's file waits for its user to choose; one notice for all of it. */
export class Conflicts {
  readonly #document: OpenDocument;
  readonly #goTo: () => void;
  readonly #t: Translate;
  /** The newest of each cell. */
  readonly #waiting = new Map<string, Conflict>();
  #notice = '';
  #choosing = false;

  /**
   * @param goTo - Shows the document, with the focus in it.
   */
  constructor(document: OpenDocument, goTo: () => void, t: Translate) {
    this.#document = document;
    this.#goTo = goTo;
    this.#t = t;
    document.conflicted.add(conflicts => {
      for (const conflict of conflicts) {
        this.#waiting.set(conflict.id, conflict);
      }
      this.#tell();
    });
    document.context.disposed.connect(() => this.#withdraw());
  }

  /** Says that a change was left out. */
  #tell(): void {
    this.#withdraw();
    if (this.#choosing || this.#next() === undefined) {
      return; // they follow in the dialog
    }
    this.#notice = Notification.warning(
      this.#t(
        '%1 was changed on disk where you have unsaved changes. Yours are kept until you choose.',
        this.#name,
      ),
      {
        autoClose: false,
        actions: [{ label: this.#t('Compare…'), callback: () => void this.#choose() }],
      },
    );
  }

  #withdraw(): void {
    Notification.dismiss(this.#notice);
  }

  async #choose(): Promise<void> {
    if (this.#choosing) {
      return;
    }
    this.#choosing = true;
    this.#goTo();
    let next = this.#next();
    while (next !== undefined && (await this.#settle(next.conflict, next.mine))) {
      next = this.#next();
    }
    this.#choosing = false;
    this.#tell();
  }

  /** Lets the user choose; false for later. */
  async #settle(conflict: Conflict, mine: string): Promise<boolean> {
    const t = this.#t;
    const { theirs } = conflict;
    const title = this.#title(conflict);
    const dialog = new Dialog({
      title,
      body: new Comparison(mine, theirs, t),
      buttons: [
        Dialog.cancelButton({ label: t('Decide later') }),
        Dialog.okButton({ label: t('Keep mine'), actions: ['keep'] }),
        Dialog.warnButton({
          label: theirs === null ? t('Delete the cell') : t('Take the other'),
          actions: ['take'],
        }),
      ],
      defaultButton: 1,
    });
    dialog.node.setAttribute('aria-label', title);
    const { button } = await dialog.launch();
    const take = button.actions.includes('take');
    if (!take && !button.actions.includes('keep')) {
      return false;
    }
    // A newer one may have come while the dialog was open.
    if (this.#waiting.get(conflict.id) === conflict) {
      this.#waiting.delete(conflict.id);
    }
    if (take && !this.#document.context.isDisposed) {
      this.#document.accept(conflict);
    }
    return true;
  }

  /** The first that is not settled by itself. */
  #next(): { conflict: Conflict; mine: string } | undefined {
    for (const conflict of this.#waiting.values()) {
      const gone = this.#document.context.isDisposed;
      const mine = gone ? null : this.#document.current(conflict);
      if (mine !== null && (mine !== conflict.theirs || conflict.attachments !== undefined)) {
        return { conflict, mine };
      }
      this.#waiting.delete(conflict.id);
    }
    return undefined;
  }

  #title(conflict: Conflict): string {
    const place = this.#document.placeOf(conflict);
    switch (place) {
      case 'text':
        return this.#t('Two changes of %1', this.#name);
      case 'metadata':
        return this.#t('Two changes of the metadata of %1', this.#name);
      default:
        return conflict.attachments === undefined
          ? this.#t('Two changes of cell %1 of %2', place, this.#name)
          : this.#t('Two changes of cell %1 of %2 and its images', place, this.#name);
    }
  }

  get #name(): string {
    const { localPath } = this.#document.context;
    return localPath.slice(localPath.lastIndexOf('/') + 1);
  }
}
