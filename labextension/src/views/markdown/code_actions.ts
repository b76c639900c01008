import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { messageOf } from '../parts/buttons';
import { LANGUAGE } from './boxes';

const SAID_MILLISECONDS = 2_000;

/** What a click on a button of a code box does. */
export function actOnCode(
  button: HTMLElement,
  actions: Actions,
  t: Translate,
  announce: (words: string, how: 'polite' | 'assertive') => void,
): void {
  const box = button.closest('.acp-code');
  const deed = box === null ? null : codeActionOf(button.dataset.act ?? '', box, actions, t);
  if (box === null || deed === null || busy.has(box)) {
    return;
  }
  busy.add(box);
  void deed
    .run()
    .then(() => ({ words: deed.done, how: 'polite' as const }))
    .catch((error: unknown) => ({ words: messageOf(error), how: 'assertive' as const }))
    .then(({ words, how }) => {
      showWords(box, words);
      announce(words, how);
    })
    .finally(() => busy.delete(box));
}

const busy = new WeakSet<Element>();

interface CodeAction {
  readonly run: () => Promise<void>;
  readonly done: string;
}

function codeActionOf(
  act: string,
  box: Element,
  actions: Actions,
  t: Translate,
): CodeAction | null {
  const code = box.querySelector('code')?.textContent ?? '';
  const language = box.getAttribute(LANGUAGE) ?? '';
  const { cells } = actions;
  const number = cells?.activeCell() ?? 0;
  if (act === 'copy' && actions.copy !== undefined) {
    return { run: async () => actions.copy?.(code), done: t('Copied') };
  }
  if (act === 'insert' && cells !== undefined) {
    return {
      run: () => cells.insertBelow(code, language),
      done: t('Inserted below cell %1', number),
    };
  }
  const replace = cells?.replaceActive;
  if (act === 'replace' && replace !== undefined) {
    return { run: () => replace(code, language), done: t('Cell %1 replaced', number) };
  }
  return null;
}

/** A word beside the buttons, drawn by the style sheet: the box's own text stays as it is. */
function showWords(box: Element, words: string): void {
  const label = box.querySelector('header > .grow');
  label?.setAttribute('data-said', words);
  setTimeout(() => label?.removeAttribute('data-said'), SAID_MILLISECONDS);
}
