import type { IMermaidManager } from '@jupyterlab/mermaid';

import type { Diagram } from '../../views';

const MAX_SOURCE = 20_000;

const MAX_SVG = 2_000_000;

/**
 * Mermaid draws in the page, and would fetch any URL in the source, so a source that may contain
 * one is not drawn. Labels may have line breaks and simple markup, and no other HTML.
 */
const REFUSED = [
  /<(?!(?:br|b|i|u|em|strong|sub|sup|code)\s*\/?>|\/(?:b|i|u|em|strong|sub|sup|code)\s*>)[a-z!/?]/i,
  /<\s+(?:img|image|svg|style|link|script|iframe|object|embed|video|audio|source|input|body|table)\b/i,
  /url\s*\(|image-set|@import|expression\s*\(|themeCSS|fontFamily/i,
  /@\{[^}]*\b(?:img|icon)\b/i,
  /^\s*(?:click|link|links|properties|callback)\b/im,
  /\b(?:https?|data|javascript|file|ftp|blob)\s*:/i,
  /\\[0-9a-fux]/i,
  /&#?\w+;|#(?:x?\d+|x[0-9a-f]+|lt|gt|amp);/i,
];

/** A stereotype in a class diagram, which is harmless. */
const STEREOTYPE = /<<[a-z]+>>/gi;

/** Draws a diagram as a data URL of an image, which runs and loads nothing. */
export async function draw(mermaid: IMermaidManager, source: string): Promise<Diagram | null> {
  const checked = source.slice(0, MAX_SOURCE + 1).replace(STEREOTYPE, ' ');
  if (source.length > MAX_SOURCE || REFUSED.some(pattern => pattern.test(checked))) {
    return null;
  }
  const { svg, width, accessibleTitle, accessibleDescription } = await mermaid.renderSvg(source);
  if (svg.length > MAX_SVG) {
    return null;
  }
  return {
    address: `data:image/svg+xml,${encodeURIComponent(svg)}`,
    label: [accessibleTitle, accessibleDescription].filter(Boolean).join('. ').slice(0, 500),
    width: width !== undefined && width !== null && width > 0 ? Math.round(width) : null,
  };
}
