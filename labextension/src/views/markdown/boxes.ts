import type { Actions } from '../actions';
import type { Translate } from '../i18n';
import { iconElement } from '../parts/icons';
import type { IconName } from '../parts/drawings';
import { CUT } from './blocks';
import { FORMULA } from './math';
import { IMAGE_ADDRESS, safeLink } from './sanitise';

/** What a text may show beside itself. */
export interface MarkdownOptions {
  readonly t: Translate;
  /** Whether buttons may be drawn (copy, load an image): not in a saved record. */
  readonly controls: boolean;
  /** What can be done with code; a button whose callback is missing is not drawn. */
  readonly code?: Pick<Actions, 'copy' | 'cells'> | undefined;
}

/** Names the language of a code box that is whole, for those who draw it better. */
export const LANGUAGE = 'data-acp-language';

const EMBEDDED_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/;

/** Turns plain sanitised elements into ours: code boxes, table boxes, safe links, images on request. */
export function dress(fragment: ParentNode, options: MarkdownOptions): void {
  for (const pre of fragment.querySelectorAll('pre')) {
    const code = pre.querySelector('code');
    const language = /^language-(.+)$/.exec(code?.className ?? '')?.[1] ?? '';
    const text = pre.textContent.replace(/\n$/, '');
    pre.replaceWith(codeBox(language, text, options, !pre.hasAttribute(CUT)).box);
  }
  for (const formula of fragment.querySelectorAll(`[${FORMULA}]`)) {
    const source = formula.textContent;
    formula.replaceChildren(source);
    formula.className = 'acp-formula';
    formula.setAttribute('dir', 'ltr');
  }
  for (const table of fragment.querySelectorAll('table')) {
    dressTable(table, options);
  }
  for (const link of fragment.querySelectorAll('a')) {
    dressLink(link);
  }
  for (const image of fragment.querySelectorAll('img')) {
    image.replaceWith(dressedImage(image, options));
  }
  for (const input of fragment.querySelectorAll('input')) {
    input.disabled = true;
    input.setAttribute('aria-label', options.t(input.checked ? 'done' : 'open'));
  }
}

/**
 * A code block with its language and what can be done with it.
 *
 * `text` is the node to append to. One that is not `whole` may go on: nothing
 * but a copy is made of it.
 */
export function codeBox(
  language: string,
  source: string,
  { t, controls, code: can }: MarkdownOptions,
  whole: boolean,
): { readonly box: HTMLElement; readonly text: Text } {
  const box = element('div', 'acp-code');
  const text = document.createTextNode(source);
  const header = element('header');
  // Else a landmark: each code block would be a banner of the page.
  header.setAttribute('role', 'presentation');
  const label = element('span', 'cut grow');
  label.textContent = language;
  header.append(label);
  if (controls && can?.copy !== undefined) {
    header.append(button('copy', 'copy', t('Copy')));
  }
  if (whole) {
    box.setAttribute(LANGUAGE, language);
    if (controls && can?.cells !== undefined) {
      header.append(...cellButtons(can.cells, t));
    }
  }
  if (controls || language !== '') {
    box.append(header);
  }
  const pre = scrollable(element('pre'), t('Code'));
  pre.dir = 'ltr';
  const code = element('code');
  code.append(text);
  pre.append(code);
  box.append(pre);
  return { box, text };
}

/** Shown only while there is a cell to begin from. */
function cellButtons(cells: NonNullable<Actions['cells']>, t: Translate): HTMLElement[] {
  const made: HTMLElement[] = [button('insert', 'insert', t('Insert as cell below'))];
  if (cells.replaceActive !== undefined) {
    const replace = element('button', 'btn quiet small');
    replace.type = 'button';
    replace.dataset.act = 'replace';
    made.push(replace);
  }
  nameCellButtons(made, cells, t);
  return made;
}

/** The buttons name the cell that is active now. */
export function nameCellButtons(
  buttons: Iterable<HTMLElement>,
  cells: NonNullable<Actions['cells']>,
  t: Translate,
): void {
  const number = cells.activeCell();
  for (const each of buttons) {
    each.hidden = number === null;
    if (each.dataset.act === 'replace') {
      each.textContent = t('Replace cell %1', number ?? '');
    }
  }
}

function dressTable(table: HTMLTableElement, { t }: MarkdownOptions): void {
  const box = scrollable(element('div', 'acp-scroll'), t('Table'));
  table.replaceWith(box);
  box.append(table);
  for (const cell of table.querySelectorAll('th, td')) {
    if (cell.getAttribute('align') === 'right') {
      cell.className = 'r';
    }
    if (cell.localName === 'th') {
      cell.setAttribute('scope', 'col');
    }
  }
}

function dressLink(link: HTMLAnchorElement): void {
  const address = safeLink(link.getAttribute('href') ?? '');
  if (address === null) {
    link.removeAttribute('href');
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

function dressedImage(image: HTMLImageElement, { t, controls }: MarkdownOptions): HTMLElement {
  const address = image.getAttribute(IMAGE_ADDRESS) ?? '';
  if (EMBEDDED_IMAGE.test(address)) {
    const shown = element('img');
    shown.src = address;
    shown.alt = image.alt;
    return shown;
  }
  const remote = safeLink(address);
  const words = image.alt === '' ? t('image') : image.alt;
  if (remote === null || !/^https?:/i.test(remote)) {
    const label = element('span', 'muted');
    label.textContent = t('Image: %1', words);
    return label;
  }
  if (!controls) {
    const link = element('a');
    link.href = remote;
    link.textContent = t('Image: %1', words);
    dressLink(link);
    return link;
  }
  const load = element('button', 'btn small');
  load.dataset.act = 'image';
  load.dataset.address = remote;
  load.dataset.alt = image.alt;
  load.title = remote;
  load.append(iconElement('image'), t('Load image from %1', new URL(remote).host));
  return load;
}

/** Shows the image that a button stands for. Called on a click only. */
export function loadImage(load: HTMLElement): void {
  const shown = element('img');
  shown.referrerPolicy = 'no-referrer';
  shown.alt = load.dataset.alt ?? '';
  shown.src = load.dataset.address ?? '';
  load.replaceWith(shown);
}

function scrollable<Box extends HTMLElement>(box: Box, label: string): Box {
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', label);
  return box;
}

function button(act: string, icon: IconName, label: string): HTMLButtonElement {
  const made = element('button', 'ico');
  made.type = 'button';
  made.dataset.act = act;
  made.title = label;
  made.setAttribute('aria-label', label);
  made.append(iconElement(icon));
  return made;
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== '') {
    made.className = className;
  }
  return made;
}
