import { iconElement } from '../parts/icons';
import { CUT } from './blocks';
import { codeBox, element, scrollable } from './code_block';
import type { MarkdownOptions } from './code_block';
import { FORMULA } from './math';
import { IMAGE_ADDRESS, safeLink } from './sanitise';

const EMBEDDED_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/;

/** Decorates sanitised elements: code blocks, scrollable tables, safe links, images on request. */
export function decorate(fragment: ParentNode, options: MarkdownOptions): void {
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
    decorateTable(table, options);
  }
  for (const link of fragment.querySelectorAll('a')) {
    decorateLink(link);
  }
  for (const image of fragment.querySelectorAll('img')) {
    image.replaceWith(decoratedImage(image, options));
  }
  for (const input of fragment.querySelectorAll('input')) {
    input.disabled = true;
    input.setAttribute('aria-label', options.t(input.checked ? 'done' : 'open'));
  }
}

function decorateTable(table: HTMLTableElement, { t }: MarkdownOptions): void {
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

function decorateLink(link: HTMLAnchorElement): void {
  const address = safeLink(link.getAttribute('href') ?? '');
  if (address === null) {
    link.removeAttribute('href');
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

function decoratedImage(image: HTMLImageElement, { t, controls }: MarkdownOptions): HTMLElement {
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
    decorateLink(link);
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

/** Replaces a button by its image, which is fetched now. Called only on a click. */
export function loadImage(load: HTMLElement): void {
  const shown = element('img');
  shown.referrerPolicy = 'no-referrer';
  shown.alt = load.dataset.alt ?? '';
  shown.src = load.dataset.address ?? '';
  load.replaceWith(shown);
}
