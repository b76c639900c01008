import type { SessionStore } from '../../state/store';
import type { Translate } from '../../views';
import type { VariantOfPrompt, VariantsProps } from './view';
import { UNSELECTED_CLASS } from '../../lab/page/ids';
import type { LazyMounted } from '../../lab/page/lazy_views';
import { lazyView } from '../../lab/page/lazy_views';
import type { Decoration } from '../../lab/output/decoration';

const mountVariants = lazyView(async () => (await import('./view')).mountVariants);

/** The variants of a prompt in one cell; one of them is shown. */
class VariantGroup {
  readonly members = new Set<VariantTabs>();
  selected: VariantTabs | null = null;

  get ordered(): readonly VariantTabs[] {
    return [...this.members].sort((one, other) => one.number - other.number);
  }

  update(): void {
    const { ordered } = this;
    if (this.selected === null || !this.members.has(this.selected)) {
      this.selected = ordered[0] ?? null;
    }
    for (const member of ordered) {
      member.draw(ordered, this.selected ?? member, next => this.#select(next));
    }
  }

  #select(next: VariantTabs): void {
    this.selected = next;
    this.update();
    next.focus();
  }
}

/** By the output area of a cell, and the id that the variants of a prompt share. */
const groups = new WeakMap<Element, Map<string, VariantGroup>>();

let made = 0;

/**
 * Tabs above the output of a variant, for all variants of its prompt.
 *
 * Each stays a separate output in the notebook; here one is shown at a time.
 */
export class VariantTabs implements Decoration {
  readonly #node: HTMLElement;
  readonly #body: HTMLElement;
  readonly #review: (sessionIds: readonly string[]) => void;
  readonly #t: Translate;
  readonly #panelId = `acp-variant-${++made}`;
  readonly #head = document.createElement('div');
  #shown: VariantOfPrompt | null = null;
  #group: VariantGroup | null = null;
  #mounted: LazyMounted<VariantsProps> | null = null;

  /** The tabs are in `node`, above its `body`; `review` shows all variants side by side. */
  constructor(
    node: HTMLElement,
    body: HTMLElement,
    review: (sessionIds: readonly string[]) => void,
    t: Translate,
  ) {
    this.#node = node;
    this.#body = body;
    this.#review = review;
    this.#t = t;
  }

  get number(): number {
    return this.#shown?.number ?? 0;
  }

  /** Sets the turn that the output shows. */
  show(store: SessionStore, turnId: string): void {
    const number = store.view.turns.get(turnId)?.variant ?? 0;
    if (number === 0) {
      this.#leave();
      this.#shown = null;
      return;
    }
    this.#shown = { store, turnId, number, panelId: this.#panelId };
    this.attach();
  }

  /** Joins the others once the output is in a cell. */
  attach(): void {
    const area = this.#node.closest('.jp-OutputArea');
    if (area === null || this.#shown === null) {
      return;
    }
    const ofArea = groups.get(area) ?? new Map<string, VariantGroup>();
    groups.set(area, ofArea);
    const tryId = this.#shown.store.view.session?.variant?.try_id ?? '';
    const group = ofArea.get(tryId) ?? new VariantGroup();
    ofArea.set(tryId, group);
    if (group !== this.#group) {
      this.#leave();
      this.#group = group;
    }
    group.members.add(this);
    group.update();
  }

  draw(
    all: readonly VariantTabs[],
    selected: VariantTabs,
    select: (next: VariantTabs) => void,
  ): void {
    const variants = all.flatMap(each => (each.#shown === null ? [] : [each.#shown]));
    this.#output?.classList.toggle(UNSELECTED_CLASS, selected !== this);
    if (all.length < 2) {
      this.#remove();
      return;
    }
    this.#body.id = this.#panelId;
    this.#body.setAttribute('role', 'tabpanel');
    this.#body.setAttribute('aria-label', this.#t('Variant %1', this.number));
    // A saved output only claims its session; the server has confirmed these.
    const isKnown = variants.every(({ store }) => store.view.session !== null);
    const sessionIds = variants.map(({ store }) => store.sessionId);
    const props: VariantsProps = {
      variants,
      selected: selected.number,
      onSelect: number => {
        const next = all.find(each => each.number === number);
        if (next !== undefined) {
          select(next);
        }
      },
      onReview: isKnown ? () => this.#review(sessionIds) : undefined,
      t: this.#t,
    };
    if (this.#mounted === null) {
      this.#node.prepend(this.#head);
      this.#mounted = mountVariants(this.#head, props);
    } else {
      this.#mounted.update(props);
    }
  }

  focus(): void {
    this.#head.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  dispose(): void {
    this.#leave();
    this.#remove();
  }

  get #output(): Element | null {
    return this.#node.closest('.jp-OutputArea-child');
  }

  #leave(): void {
    this.#output?.classList.remove(UNSELECTED_CLASS);
    const group = this.#group;
    this.#group = null;
    if (group?.members.delete(this) === true) {
      group.update();
    }
  }

  #remove(): void {
    this.#mounted?.dispose();
    this.#mounted = null;
    ['id', 'role', 'aria-label'].forEach(name => this.#body.removeAttribute(name));
    this.#head.remove();
  }
}
