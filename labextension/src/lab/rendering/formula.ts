import type { ILatexTypesetter } from '@jupyterlab/rendermime';

const MAX_SOURCE = 4_100;

const DELIMITED = /^(?:\$[^]+\$|\\\([^]+\\\)|\\\[[^]+\\\])$/;

/**
 * TeX commands that are refused, because they set URLs, styles and classes, or redefine commands,
 * even for the user's own notebooks.
 */
const REFUSED =
  /\\(?:href|url|style|class|cssId|data|mmlToken|require|unicode|includegraphics|def|gdef|edef|xdef|let|futurelet|newcommand|renewcommand|providecommand|newenvironment|renewenvironment|DeclareMathOperator|DeclarePairedDelimiters?\w*|Newextarrow|begingroup|bbox|colorbox|fcolorbox|definecolor)(?![a-zA-Z])/;

const ELEMENT = /^(?:mjx-[a-z0-9-]+|math|m[a-z]+|semantics)$/;

const CLASS = /^(?:mjx|MJX|TEX|MathJax)[\w-]*$/;

const ATTRIBUTES =
  /^(?:class|style|jax|display|size|width|space|min-width|limits|align|justify|side|indentalign|noic|texclass|variant|stretchy|delims|scale|depth|height)$/;

const STYLES =
  /^(?:width|min-width|max-width|height|min-height|vertical-align|text-align|letter-spacing|top|left|right|bottom|transform|color|font-size|line-height|(?:margin|padding|border)(?:-[a-z-]+)?)$/;

const STYLE_VALUE = /^[\w\s.,%+#()-]*$/;

/** Typesets a formula outside the page; the result can't run, load or imitate anything. */
export async function typeset(
  typesetter: ILatexTypesetter,
  source: string,
): Promise<Element | null> {
  if (source.length > MAX_SOURCE || !DELIMITED.test(source) || REFUSED.test(source)) {
    return null;
  }
  const host = document.createElement('div');
  host.textContent = source;
  await typesetter.typeset(host);
  const [formula] = host.children;
  // The whole source must be typeset; otherwise the formula would show something else.
  const rest = [...host.childNodes].filter(node => node !== formula);
  if (formula?.localName !== 'mjx-container' || rest.some(node => node.textContent !== '')) {
    return null;
  }
  return formula.querySelector('mjx-merror, merror') === null && isHarmless(formula)
    ? formula
    : null;
}

function isHarmless(root: Element): boolean {
  for (const element of [root, ...root.querySelectorAll('*')]) {
    if (!ELEMENT.test(element.localName)) {
      return false;
    }
    for (const { name, value } of [...element.attributes]) {
      if (!ATTRIBUTES.test(name) || (name === 'class' && !isOwnClass(value))) {
        element.removeAttribute(name);
      }
    }
    if (element instanceof HTMLElement) {
      tidyStyle(element.style);
    }
  }
  return true;
}

function isOwnClass(names: string): boolean {
  return names.split(/\s+/).every(name => name === '' || CLASS.test(name));
}

function tidyStyle(style: CSSStyleDeclaration): void {
  for (const name of [...style]) {
    const value = style.getPropertyValue(name);
    if (!STYLES.test(name) || !STYLE_VALUE.test(value) || /url|image|var/i.test(value)) {
      style.removeProperty(name);
    }
  }
}
