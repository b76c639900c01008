import type { Translate } from '../i18n';
import type { Rendering } from './rendering';

/** Shows a diagram in the place of its source, which stays below it, closed. */
export async function drawDiagram(
  box: HTMLElement,
  source: string,
  rendering: Rendering,
  t: Translate,
): Promise<void> {
  const made = await rendering.diagram?.(source);
  const pre = box.querySelector(':scope > pre');
  if (!made || pre === null || !made.address.startsWith('data:image/svg+xml')) {
    return;
  }
  const image = document.createElement('img');
  image.src = made.address;
  image.alt = made.label === '' ? t('Diagram') : made.label;
  if (made.width !== null) {
    image.width = made.width;
  }
  const figure = document.createElement('figure');
  figure.className = 'acp-diagram';
  figure.tabIndex = 0;
  figure.setAttribute('role', 'group');
  figure.setAttribute('aria-label', t('Diagram'));
  figure.append(image);
  const summary = document.createElement('summary');
  summary.textContent = t('Source');
  const details = document.createElement('details');
  details.append(summary);
  pre.replaceWith(figure, details);
  details.append(pre);
}

/** Draws it anew, e.g. in the colours of another theme. */
export async function redrawDiagram(
  box: HTMLElement,
  rendering: Rendering,
  t: Translate,
): Promise<void> {
  const source = box.querySelector('code')?.textContent ?? '';
  const image = box.querySelector<HTMLImageElement>(':scope > .acp-diagram > img');
  if (image === null) {
    await drawDiagram(box, source, rendering, t);
    return;
  }
  const made = await rendering.diagram?.(source);
  if (made?.address.startsWith('data:image/svg+xml') === true) {
    image.src = made.address;
  }
}
