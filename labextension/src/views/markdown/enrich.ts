import type { Translate } from '../i18n';
import { markControls } from '../parts/odd_characters';
import type { Rendering, Run } from '../props';
import { LANGUAGE } from './code_block';
import { FORMULA } from './math';

/** Longer code, and code with more runs, stays plain. */
const MAX_CODE = 50_000;

const MAX_RUNS = 5_000;

/** Most formulas of one text; further ones are shown as source. */
const MAX_FORMULAS = 500;

const MAX_DIAGRAMS = 20;

/** The work of all texts runs one after the other, so that the page stays responsive. */
let line: Promise<void> = Promise.resolve();

/**
 * Highlights code, typesets formulas and draws diagrams of a text once they are complete.
 *
 * One after the other. An element that fails, or was removed meanwhile, doesn't change.
 */
export class Enricher {
  private readonly diagrams = new Set<HTMLElement>();
  private readonly stop: (() => void) | undefined;
  private formulas = 0;
  private readonly counted = new WeakSet<Element>();
  private disposed = false;

  constructor(
    private readonly host: Element,
    private readonly rendering: Rendering,
    private readonly t: Translate,
  ) {
    this.stop = rendering.onChange?.(() => this.redraw());
  }

  /** Enriches an element that is complete. */
  readonly take = (element: Element): void => {
    for (const box of within(element, `.acp-code[${LANGUAGE}]`)) {
      this.takeCode(box);
    }
    for (const formula of within(element, `[${FORMULA}]`)) {
      if (this.rendering.mathematics !== undefined && this.formulas < MAX_FORMULAS) {
        this.formulas += 1;
        this.counted.add(formula);
        this.plan(formula, () => this.typeset(formula));
      }
    }
  };

  /** Forgets an element that is text again: when it is redrawn, it is enriched again. */
  readonly leave = (element: Element): void => {
    for (const box of within(element, `.acp-code[${LANGUAGE}]`)) {
      this.diagrams.delete(box);
    }
    this.formulas -= within(element, `[${FORMULA}]`).filter(each => this.counted.has(each)).length;
  };

  dispose(): void {
    this.disposed = true;
    this.stop?.();
  }

  private takeCode(box: HTMLElement): void {
    const language = box.getAttribute(LANGUAGE) ?? '';
    const text = box.querySelector('code')?.textContent ?? '';
    if (language === '' || text.length > MAX_CODE) {
      return;
    }
    if (language.toLowerCase() === 'mermaid') {
      if (this.rendering.diagram !== undefined && this.diagrams.size < MAX_DIAGRAMS) {
        this.diagrams.add(box);
        this.plan(box, () => drawDiagram(box, text, this.rendering, this.t));
      }
    } else if (this.rendering.highlight !== undefined) {
      this.plan(box, () => this.colour(box, text, language));
    }
  }

  private plan(element: Element, work: () => Promise<void>): void {
    line = line.then(async () => {
      if (!this.disposed && this.host.contains(element)) {
        await work().catch(() => undefined);
      }
    });
  }

  private async colour(box: HTMLElement, text: string, language: string): Promise<void> {
    const runs = await this.rendering.highlight?.(text, language);
    const code = box.querySelector('code');
    if (!runs || code?.textContent !== text || holdsSelection(code)) {
      return;
    }
    const drawn = coloured(runs, text);
    if (drawn !== null) {
      markControls(drawn);
      code.replaceChildren(drawn);
    }
  }

  private async typeset(formula: HTMLElement): Promise<void> {
    const source = formula.textContent;
    const drawn = await this.rendering.mathematics?.(source);
    if (!drawn || formula.textContent !== source || this.disposed) {
      return;
    }
    // The source stays for copying, find-in-page and screen readers.
    const written = document.createElement('span');
    written.className = 'vh';
    written.textContent = source;
    const shown = document.createElement('span');
    shown.className = 'acp-typeset';
    shown.setAttribute('aria-hidden', 'true');
    shown.append(drawn);
    formula.title = source;
    formula.replaceChildren(written, shown);
  }

  private redraw(): void {
    for (const box of this.diagrams) {
      this.plan(box, () => redrawDiagram(box, this.rendering, this.t));
    }
  }
}

/** The runs as elements; `null` if they are too many or differ from the text. */
export function coloured(runs: readonly Run[], text: string): DocumentFragment | null {
  if (runs.length > MAX_RUNS || runs.map(run => run.text).join('') !== text) {
    return null;
  }
  const drawn = document.createDocumentFragment();
  for (const run of runs) {
    if (run.class === '') {
      drawn.append(run.text);
    } else {
      const span = document.createElement('span');
      span.className = run.class;
      span.textContent = run.text;
      drawn.append(span);
    }
  }
  return drawn;
}

function within(element: Element, selector: string): HTMLElement[] {
  const found = element instanceof HTMLElement && element.matches(selector) ? [element] : [];
  return [...found, ...element.querySelectorAll<HTMLElement>(selector)];
}

/** Shows a diagram above its source, which is closed. */
export async function drawDiagram(
  box: HTMLElement,
  source: string,
  rendering: Rendering,
  t: Translate,
): Promise<void> {
  const drawn = await rendering.diagram?.(source);
  const pre = box.querySelector(':scope > pre');
  if (!drawn || pre === null || !drawn.address.startsWith('data:image/svg+xml')) {
    return;
  }
  const image = document.createElement('img');
  image.src = drawn.address;
  image.alt = drawn.label === '' ? t('Diagram') : drawn.label;
  if (drawn.width !== null) {
    image.width = drawn.width;
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

/** Draws a diagram again, e.g. in the colours of another theme. */
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
  const drawn = await rendering.diagram?.(source);
  if (drawn?.address.startsWith('data:image/svg+xml') === true) {
    image.src = drawn.address;
  }
}
/** Whether anything is selected. Reading the selection causes a layout, so it is read only on changes. */
let some = isSome();

document.addEventListener('selectionchange', () => (some = isSome()));

function isSome(): boolean {
  return document.getSelection()?.isCollapsed === false;
}

/** Whether the user has selected something in an element, which then must stay. */
export function holdsSelection(element: Element): boolean {
  return some && document.getSelection()?.containsNode(element, true) === true;
}
