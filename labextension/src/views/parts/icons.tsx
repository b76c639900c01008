import { DRAWINGS } from './icon_drawings';
import type { IconName } from './icon_drawings';

const SVG = 'http://www.w3.org/2000/svg';

const SPRITE_ID = 'acp-jupyter-icons';

/** Adds the icons to the page, or to a shadow root, as one SVG sprite, once. */
export function injectSprite(parent: HTMLElement | ShadowRoot = document.body): void {
  if (parent.querySelector(`#${SPRITE_ID}`) !== null) {
    return;
  }
  const sprite = document.createElementNS(SVG, 'svg');
  sprite.id = SPRITE_ID;
  sprite.setAttribute('aria-hidden', 'true');
  sprite.style.display = 'none';
  for (const [name, drawing] of Object.entries(DRAWINGS)) {
    const symbol = document.createElementNS(SVG, 'symbol');
    symbol.id = `acp-i-${name}`;
    symbol.setAttribute('viewBox', '0 0 16 16');
    symbol.innerHTML = drawing;
    sprite.append(symbol);
  }
  parent.append(sprite);
}

interface IconProps {
  readonly name: IconName;
  readonly small?: boolean;
  readonly class?: string;
}

/** An icon; decorative, so a text beside it must say what it means. */
export function Icon({ name, small = false, class: extra = '' }: IconProps) {
  return (
    <svg class={`i${small ? ' s' : ''}${extra === '' ? '' : ` ${extra}`}`} aria-hidden="true">
      <use href={`#acp-i-${name}`} />
    </svg>
  );
}

/** The same icon as an element that Preact does not draw. */
export function iconElement(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'i');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#acp-i-${name}`);
  svg.append(use);
  return svg;
}
