import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { messageOf } from '../parts/buttons';
import type { IconName } from '../parts/icon_drawings';
import { iconElement } from '../parts/icons';
import { CodeLines } from './code_lines';

/** Options of rendered Markdown. */
export interface MarkdownOptions {
  readonly t: Translate;
  /** Whether buttons may be drawn (copy, load an image): not in a saved output. */
  readonly controls: boolean;
  /** Actions on code; a button without a callback is not drawn. */
  readonly code?: Pick<Actions, 'copy' | 'cells'> | undefined;
}

/** Attribute with the language of a complete code block, for highlighting. */
export const LANGUAGE = 'data-acp-language';

/**
 * A code block with its language and its buttons.
 *
 * New code is appended to `lines`. A block that is not `whole` may grow: it can only be copied.
 */
export function codeBox(
  language: string,
  source: string,
  { t, controls, code: can }: MarkdownOptions,
  whole: boolean,
): { readonly box: HTMLElement; readonly lines: CodeLines } {
  const box = element('div', 'acp-code');
  const header = element('header');
  // Otherwise each header would be a landmark of the page.
  header.setAttribute('role', 'presentation');
  const label = element('span', 'cut grow');
  label.textContent = language === '' ? t('text') : language;
  header.append(label);
  if (controls && can?.copy !== undefined) {
    header.append(button('copy', 'copy', t('Copy')));
  }
  if (whole) {
    box.setAttribute(LANGUAGE, language);
    if (controls && can?.cells !== undefined && !NO_CODE.has(language.toLowerCase())) {
      header.append(...cellButtons(can.cells, language, t));
    }
  }
  if (controls || language !== '') {
    box.append(header);
  }
  const pre = scrollable(element('pre'), t('Code'));
  pre.dir = 'ltr';
  const code = element('code');
  const lines = new CodeLines(code, source);
  pre.append(code);
  box.append(pre);
  return { box, lines };
}

/** Output of programs, and patches, which are not code for a cell. */
const NO_CODE = new Set([
  'console',
  'diff',
  'log',
  'output',
  'patch',
  'plaintext',
  'pycon',
  'shell-session',
  'terminal',
  'text',
  'traceback',
  'txt',
]);

/** Buttons that insert the code into a notebook; hidden while there is no cell. */
function cellButtons(
  cells: NonNullable<Actions['cells']>,
  language: string,
  t: Translate,
): HTMLElement[] {
  const buttons: HTMLElement[] = [button('insert', 'insert', t('Insert as cell below'))];
  if (cells.replaceActive !== undefined) {
    const replace = element('button', 'btn quiet small');
    replace.type = 'button';
    replace.dataset.act = 'replace';
    buttons.push(replace);
  }
  nameButtons(buttons, cells, language, t);
  return buttons;
}

/** Updates the buttons of a code block with the number of the active cell. */
export function nameCellButtons(
  buttons: Iterable<HTMLElement>,
  cells: NonNullable<Actions['cells']>,
  t: Translate,
): void {
  for (const each of buttons) {
    const language = each.closest('.acp-code')?.getAttribute(LANGUAGE) ?? '';
    nameButtons([each], cells, language, t);
  }
}

function nameButtons(
  buttons: Iterable<HTMLElement>,
  cells: NonNullable<Actions['cells']>,
  language: string,
  t: Translate,
): void {
  const number = cells.activeCell();
  for (const each of buttons) {
    each.hidden = number === null;
    if (each.dataset.act === 'replace') {
      each.hidden ||= cells.canReplace?.(language) === false;
      each.textContent = t('Replace cell %1', number ?? '');
    }
  }
}

export function scrollable<Box extends HTMLElement>(box: Box, label: string): Box {
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', label);
  return box;
}

function button(act: string, icon: IconName, label: string): HTMLButtonElement {
  const node = element('button', 'ico');
  node.type = 'button';
  node.dataset.act = act;
  node.title = label;
  node.setAttribute('aria-label', label);
  node.append(iconElement(icon));
  return node;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  if (className !== '') {
    node.className = className;
  }
  return node;
}

const WORDS_MILLISECONDS = 2_000;

/** Carries out a click on a button of a code block. */
export function actOnCode(
  button: HTMLElement,
  actions: Actions,
  t: Translate,
  announce: (words: string, how: 'polite' | 'assertive') => void,
): void {
  const box = button.closest('.acp-code');
  const action = box === null ? null : codeActionOf(button.dataset.act ?? '', box, actions, t);
  if (box === null || action === null || busy.has(box)) {
    return;
  }
  busy.add(box);
  void action
    .run()
    .then(() => ({ words: action.done, how: 'polite' as const }))
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

/**
 * Shows a word beside the buttons through the style sheet, so that the box's text doesn't change.
 */
function showWords(box: Element, words: string): void {
  const label = box.querySelector('header > .grow');
  label?.setAttribute('data-said', words);
  setTimeout(() => label?.removeAttribute('data-said'), WORDS_MILLISECONDS);
}
