import { Widget } from '@lumino/widgets';
import { diffLines } from 'diff';

import type { Translate } from '../../views';

/** So many unchanged lines stand around a change. */
const CONTEXT = 3;

/** What the user has, against what was written to the file. */
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
  // A last line without an end is no other line.
  const [one, other] = [mine, theirs].map(text => (text.endsWith('\n') ? text : `${text}\n`));
  return (
    diffLines(one ?? '', other ?? '', { timeout: 200, maxEditLength: 5_000 }) ?? [
      { added: false, removed: true, value: mine },
      { added: true, removed: false, value: theirs },
    ]
  );
}
