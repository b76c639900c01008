import { describe, expect, it, vi } from 'vitest';

import { draw } from '../../src/plugins/rendering/diagram';
import { typeset } from '../../src/plugins/rendering/formula';

/** Puts what a typesetter makes in the place of the source. */
function typesetter(html: string) {
  return {
    typeset: vi.fn((place: HTMLElement) => {
      place.innerHTML = html;
    }),
  };
}

describe('typesetting', () => {
  it.each([
    '$\\href{javascript:alert(1)}{x}$',
    '$\\style{position:fixed}{x}$',
    '\\(\\class{acp-perm}{x}\\)',
    '$$\\def\\int{x}\\int$$',
    '$\\let\\x=\\y$',
    '$\\require{html}x$',
    '$\\mmlToken{mi}[onclick="x"]{y}$',
    'no delimiters',
    `$${'x'.repeat(5_000)}$`,
  ])('refuses %s', async source => {
    const jax = typesetter('<mjx-container></mjx-container>');
    expect(await typeset(jax, source)).toBeNull();
    expect(jax.typeset).not.toHaveBeenCalled();
  });

  it('takes off what could act, load or imitate', async () => {
    const jax = typesetter(
      '<mjx-container class="MathJax" jax="CHTML" onclick="x()" style="font-size: 120%; position: fixed; background-image: url(https://hostile.invalid/)">' +
        '<mjx-math class="MJX-TEX"><mjx-mi class="acp-perm" href="javascript:x()" id="x" style="padding-top: 0.1em">' +
        '<mjx-c class="mjx-c1D465 TEX-I"></mjx-c></mjx-mi></mjx-math></mjx-container>',
    );
    const made = await typeset(jax, '$x$');
    expect(made?.outerHTML.replace(/;"/g, '"')).toBe(
      '<mjx-container class="MathJax" jax="CHTML" style="font-size: 120%">' +
        '<mjx-math class="MJX-TEX"><mjx-mi style="padding-top: 0.1em">' +
        '<mjx-c class="mjx-c1D465 TEX-I"></mjx-c></mjx-mi></mjx-math></mjx-container>',
    );
  });

  it.each([
    '<mjx-container><img src="x"></mjx-container>',
    '<mjx-container><a href="https://hostile.invalid/">x</a></mjx-container>',
    '<mjx-container><mjx-merror>Undefined</mjx-merror></mjx-container>',
    '<mjx-container></mjx-container> and more text',
    '<b>bold</b>',
    '$x$',
  ])('keeps the source for %s', async html => {
    expect(await typeset(typesetter(html), '$x$')).toBeNull();
  });
});

describe('diagrams', () => {
  const manager = () => ({
    getMermaid: vi.fn(),
    getMermaidVersion: () => null,
    renderFigure: vi.fn(),
    getCachedFigure: () => null,
    renderSvg: vi.fn((text: string) =>
      Promise.resolve({ text, svg: '<svg>é</svg>', width: 99.6, accessibleTitle: 'A title' }),
    ),
  });

  it.each([
    'graph TD\nclick A "javascript:x"',
    'graph TD\nA["<img src=x>"]',
    'graph TD\nA["< IMG src=x>"]',
    'graph TD\nA["</div>"]',
    'flowchart TD\nA@{ img: "x" }',
    'flowchart TD\nA@{\n icon: "fa:x" }',
    '%%{init: {"themeCSS": "x"}}%%\ngraph TD\nA-->B',
    'graph TD\nstyle A fill:url(x)',
    'graph TD\nA --> B["https://hostile.invalid/"]',
    'graph TD\nclassDef bad background:\\75rl(x)',
    'graph TD\nA["#60;img#62;"]',
    'graph TD\nA["&lt;img&gt;"]',
    `graph TD\n${'A-->B\n'.repeat(4_000)}`,
  ])('refuses %j', async source => {
    const mermaid = manager();
    expect(await draw(mermaid, source)).toBeNull();
    expect(mermaid.renderSvg).not.toHaveBeenCalled();
  });

  it.each([
    'graph TD\nA[Start] --> B{Ok?}\nB -->|"yes<br/>no"| C',
    'sequenceDiagram\nA->>B: Hi\nB-->>A: x < 3 and y <= 4\nA<<->>B: both',
    'classDiagram\nAnimal <|-- Duck\nclass Duck {\n<<interface>>\n+swim()\n}',
    "%%{init: {'theme': 'forest'}}%%\ngraph LR\nA-->B",
    'stateDiagram-v2\n[*] --> Still\nnote right of Still: #quot;quoted#quot;',
  ])('draws %j as an image', async source => {
    expect(await draw(manager(), source)).toEqual({
      address: 'data:image/svg+xml,%3Csvg%3E%C3%A9%3C%2Fsvg%3E',
      label: 'A title',
      width: 100,
    });
  });
});
