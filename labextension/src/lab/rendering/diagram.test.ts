import { describe, expect, it, vi } from 'vitest';

import { draw } from './diagram';

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
