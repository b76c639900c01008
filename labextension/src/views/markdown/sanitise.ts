import createPurifier from 'dompurify';
import type { Config } from 'dompurify';

import { CUT } from './blocks';
import { FORMULA } from './math';

/** Attribute with an image's URL, which is loaded only when the user clicks. */
export const IMAGE_ADDRESS = 'data-acp-src';

const TAGS =
  'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del s b i u a img table thead ' +
  'tbody tr th td sub sup kbd mark details summary dl dt dd span div input';

const ATTRIBUTES = 'href title alt start align colspan rowspan open lang dir type checked disabled';

/** One object for all calls, since the library parses each new object again. */
const CONFIG = {
  ALLOWED_TAGS: TAGS.split(' '),
  ALLOWED_ATTR: [...ATTRIBUTES.split(' '), 'class', IMAGE_ADDRESS, CUT, FORMULA],
  ADD_URI_SAFE_ATTR: [IMAGE_ADDRESS],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  IN_PLACE: true,
} satisfies Config & { IN_PLACE: true };

const purifier = createPurifier(window);

// The parsed document is inert, so nothing was fetched; without `src` nothing will be.
purifier.addHook('beforeSanitizeElements', node => {
  if (node instanceof Element && node.localName === 'img') {
    const address = node.getAttribute('src') ?? '';
    node.removeAttribute('src');
    node.setAttribute(IMAGE_ADDRESS, address);
  }
});

// The only allowed class is the language of code: others could imitate our controls.
purifier.addHook('uponSanitizeAttribute', (node, data) => {
  if (data.attrName === 'class') {
    data.keepAttr = node.localName === 'code' && /^language-[^\s]{1,64}$/.test(data.attrValue);
  } else if (data.attrName === 'type') {
    data.keepAttr = node.localName === 'input' && data.attrValue === 'checkbox';
  }
});

/**
 * Sanitises untrusted HTML: the elements can't run, load or imitate anything.
 *
 * All texts at once, since a document for each took most of the time of streaming.
 */
export function sanitise(texts: readonly string[]): Element[] {
  const inert = document.implementation.createHTMLDocument();
  const parsed = texts.map(html => {
    const element = inert.createElement('div');
    element.innerHTML = html;
    return element;
  });
  const root = inert.createElement('div');
  parsed.forEach(element => root.append(element));
  purifier.sanitize(root, CONFIG);
  // The purifier may have removed an element as a whole.
  return parsed.map(element =>
    element.parentNode === root ? element : inert.createElement('div'),
  );
}

const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** The URL if a link may have it, else `null`. */
export function safeLink(address: string): string | null {
  try {
    return LINK_SCHEMES.has(new URL(address).protocol) ? address : null;
  } catch {
    return null;
  }
}
