import { Dialog, Notification } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import { diffLines } from 'diff';

import type { Translate } from '../../views';
import type { Conflict } from './merge/merged_content';
import type { OpenDocument } from './open_document';

/** Conflicts of a document that need the user's choice, with one notification for all. */
export class Conflicts {
  readonly #document: OpenDocument;
  readonly #goTo: () => void;
  readonly #t: Translate;
  /** The newest conflict of each cell. */
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

  /** Notifies the user of the open conflicts. */
  #tell(): void {
    this.#withdraw();
    if (this.#choosing || this.#next() === undefined) {
      return; // the dialog shows them next
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

  /** Asks the user; false if the user decides later. */
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
    // A newer conflict may have come while the dialog was open.
    if (this.#waiting.get(conflict.id) === conflict) {
      this.#waiting.delete(conflict.id);
    }
    if (take && !this.#document.context.isDisposed) {
      this.#document.accept(conflict);
    }
    return true;
  }

  /** The first conflict that still exists. */
  #next(): { conflict: Conflict; mine: string } | undefined {
    for (const conflict of this.#waiting.values()) {
      const isClosed = this.#document.context.isDisposed;
      const mine = isClosed ? null : this.#document.current(conflict);
      if (mine !== null && (mine !== conflict.theirs || conflict.attachments !== undefined)) {
        return { conflict, mine };
      }
      this.#waiting.delete(conflict.id);
    }
    return undefined;
  }

  #title(conflict: Conflict): string {
    const subject = this.#document.subjectOf(conflict);
    switch (subject) {
      case 'text':
        return this.#t('Two changes of %1', this.#name);
      case 'metadata':
        return this.#t('Two changes of the metadata of %1', this.#name);
      default:
        return conflict.attachments === undefined
          ? this.#t('Two changes of cell %1 of %2', subject, this.#name)
          : this.#t('Two changes of cell %1 of %2 and its images', subject, this.#name);
    }
  }

  get #name(): string {
    const { localPath } = this.#document.context;
    return localPath.slice(localPath.lastIndexOf('/') + 1);
  }
}

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/** The user's text compared with the file's, in the body of a dialog. */
export class Comparison extends Widget {
  constructor(mine: string, theirs: string | null, t: Translate) {
    super();
    this.addClass('acp-Conflict');
    const words = document.createElement('p');
    words.textContent =
      theirs === null
        ? t('You have changed this cell, and it was deleted in the file.')
        : t('Lines with − are yours. Lines with + were written to the file.');
    const text = document.createElement('pre');
    text.tabIndex = 0;
    text.setAttribute('role', 'group');
    text.setAttribute('aria-label', t('Differences'));
    text.append(...differences(mine, theirs, t));
    this.node.append(words, text);
  }
}

function differences(mine: string, theirs: string | null, t: Translate): HTMLElement[] {
  if (theirs === null) {
    return [part('span', '', linesOf(mine))];
  }
  const changes = compared(mine, theirs);
  return changes.flatMap(({ added, removed, value }, index) => {
    const lines = linesOf(value);
    if (added || removed) {
      return [added ? part('ins', '+ ', lines) : part('del', '− ', lines)];
    }
    const before = index === 0 ? 0 : CONTEXT;
    const after = index === changes.length - 1 ? 0 : CONTEXT;
    const left = lines.length - before - after;
    if (left <= 1) {
      return [part('span', '  ', lines)];
    }
    const fold = document.createElement('span');
    fold.className = 'fold';
    fold.textContent = `${t('%1 unchanged lines', left)}\n`;
    return [
      part('span', '  ', lines.slice(0, before)),
      fold,
      part('span', '  ', lines.slice(lines.length - after)),
    ];
  });
}

function part(tag: 'ins' | 'del' | 'span', sign: string, lines: readonly string[]): HTMLElement {
  const node = document.createElement(tag);
  node.textContent = lines.map(line => `${sign}${line}\n`).join('');
  return node;
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

function compared(mine: string, theirs: string) {
  // A missing line end at the end of a text doesn't count as a difference.
  const [one, other] = [mine, theirs].map(text => (text.endsWith('\n') ? text : `${text}\n`));
  return (
    diffLines(one ?? '', other ?? '', { timeout: 200, maxEditLength: 5_000 }) ?? [
      { added: false, removed: true, value: mine },
      { added: true, removed: false, value: theirs },
    ]
  );
}
