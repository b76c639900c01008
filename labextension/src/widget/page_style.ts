import cards from '../../style/cards.css';
import code from '../../style/code.css';
import composer from '../../style/composer.css';
import diffs from '../../style/diff.css';
import panel from '../../style/panel.css';
import part from '../../style/part.css';
import styles from '../../style/index.css';
import variables from '../../style/variables.css';
import { injectSprite } from '../views/parts/icons';

/**
 * A style sheet object, not a style element: some pages remove those, or forbid them by their
 * policy.
 */
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles + panel + composer + cards + code + diffs + part + variables);

/**
 * Returns where to draw in a widget's element.
 *
 * In a page that is not Jupyter's, this is a shadow root: our class names are short, and the same
 * as some of Bootstrap's, which Shiny uses.
 */
export function renderRoot(el: HTMLElement): HTMLElement {
  if (document.querySelector('[data-jp-theme-light]') !== null) {
    return el;
  }
  const place = document.createElement('div');
  (el.shadowRoot ?? el.attachShadow({ mode: 'open' })).replaceChildren(place);
  return place;
}

/**
 * Gives an element in any page what our views need: styles, icons, and the page's dark or light
 * theme.
 *
 * The element may be put into the page later, which is reported. Returns a function that stops
 * following the page.
 */
export function applyPageStyle(el: HTMLElement, onPlaced = () => {}): () => void {
  let known: Node | null = null;
  const settle = () => {
    const root = el.getRootNode();
    if (el.isConnected && root !== known) {
      known = root;
      if (root instanceof Document || root instanceof ShadowRoot) {
        addStyles(root);
      }
      applyColorScheme(el);
      onPlaced();
    }
  };
  const onScheme = () => applyColorScheme(el);
  // Calls back when the element first has a box in its page, however late.
  const placed = new ResizeObserver(settle);
  // Pages mark their dark theme at one of these, by a class or an attribute of their own.
  const marked = new MutationObserver(onScheme);
  const system = matchMedia('(prefers-color-scheme: dark)');
  placed.observe(el);
  for (const each of [document.documentElement, document.body]) {
    marked.observe(each, { attributes: true });
  }
  system.addEventListener('change', onScheme);
  settle();
  return () => {
    placed.disconnect();
    marked.disconnect();
    system.removeEventListener('change', onScheme);
  };
}

/** Once per document, or per shadow root if the widget is in one. */
function addStyles(root: Document | ShadowRoot): void {
  if (!root.adoptedStyleSheets.includes(sheet)) {
    root.adoptedStyleSheets.push(sheet);
  }
  injectSprite(root instanceof Document ? root.body : root);
}

/** The background decides between dark and light; without a background, the text's colour does. */
function applyColorScheme(el: HTMLElement): void {
  const probe = document.createElement('i');
  el.append(probe);
  let dark: boolean | null = null;
  for (let each = outside(el); each !== null && dark === null; each = outside(each)) {
    const [light, opacity] = lightness(probe, getComputedStyle(each).backgroundColor);
    dark = opacity > 0.5 ? light < 0.5 : null;
  }
  dark ??= lightness(probe, 'currentcolor')[0] > 0.5;
  probe.remove();
  el.style.colorScheme = dark ? 'dark' : 'light';
}

function outside(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Returns how light a colour is and how opaque, both from 0 to 1. */
function lightness(probe: HTMLElement, color: string): [number, number] {
  // A mix always has this notation, whatever the notation of the page's colour.
  probe.style.color = `color-mix(in srgb, ${color}, ${color})`;
  const mixed = getComputedStyle(probe).color;
  const [red = 0, green = 0, blue = 0, opacity = 1] = (mixed.match(/[\d.]+/g) ?? []).map(Number);
  return [0.3 * red + 0.6 * green + 0.1 * blue, opacity];
}
