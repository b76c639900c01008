import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import { diffLines } from 'diff';

import type { Translate } from '../../views';
import type { Conflict, OpenDocument } from './openDocument';

/** Says that a change on disk was left out, and lets the user choose. */
export function tellConflicts(
  document: OpenDocument,
  conflicts: readonly Conflict[],
  t: Translate,
): void {
  const { localPath } = document.context;
  const name = localPath.split('/').pop() ?? localPath;
  Notification.warning(
    t(
      '%1 was changed on disk where you have unsaved changes. Yours are kept until you choose.',
      name,
    ),
    {
      autoClose: false,
      actions: [
        {
          label: t('Compare…'),
          callback: () => void choose(document, conflicts, name, t),
        },
      ],
    },
  );
}

async function choose(
  document: OpenDocument,
  conflicts: readonly Conflict[],
  name: string,
  t: Translate,
): Promise<void> {
  for (const [index, conflict] of conflicts.entries()) {
    const mine = document.context.isDisposed ? null : document.current(conflict);
    if (mine === null || mine === conflict.theirs) {
      continue; // gone, or settled
    }
    const count = conflicts.length > 1 ? ` (${index + 1}/${conflicts.length})` : '';
    const { button } = await showDialog({
      title: t('Two changes of %1', name) + count,
      body: new Comparison(mine, conflict.theirs, t),
      buttons: [
        Dialog.cancelButton({ label: t('Decide later') }),
        Dialog.okButton({ label: t('Keep mine'), actions: ['keep'] }),
        Dialog.warnButton({ label: t('Take the one on disk'), actions: ['take'] }),
      ],
      defaultButton: 1,
    });
    if (button.actions.includes('take')) {
      document.accept(conflict);
    } else if (!button.actions.includes('keep')) {
      tellConflicts(document, conflicts.slice(index), t);
      return;
    }
  }
}

/** What the user has, against what is on disk. */
class Comparison extends Widget {
  constructor(mine: string, theirs: string | null, t: Translate) {
    super();
    this.addClass('acp-Conflict');
    const words = document.createElement('p');
    words.textContent =
      theirs === null
        ? t('The cell that you have changed was deleted on disk:')
        : t('Lines with − are yours, lines with + are on disk.');
    const text = document.createElement('pre');
    text.tabIndex = 0;
    text.setAttribute('role', 'region');
    text.setAttribute('aria-label', t('Differences'));
    for (const { added, removed, value } of compared(mine, theirs ?? '')) {
      const sign = added ? '+ ' : removed ? '− ' : '  ';
      const part = document.createElement(added ? 'ins' : removed ? 'del' : 'span');
      part.textContent = value.replace(/\n$/, '').replace(/^/gm, sign) + '\n';
      text.append(part);
    }
    this.node.append(words, text);
  }
}

function compared(mine: string, theirs: string) {
  return (
    diffLines(mine, theirs, { timeout: 200, maxEditLength: 5_000 }) ?? [
      { added: false, removed: true, value: mine },
      { added: true, removed: false, value: theirs },
    ]
  );
}
