import { render } from 'preact';

import type { SessionStore } from '../../../state/store';
import { identity } from '../../../views/i18n';
import type { Translate } from '../../../views/i18n';
import { Icon, injectSprite } from '../../../views/parts/icons';
import type { Mounted } from '../../../views/props';
import { stateOf, useTurn, VariantFacts } from './facts';

/** One variant of a prompt. */
export interface VariantOfPrompt {
  readonly store: SessionStore;
  readonly turnId: string;
  /** From 1. */
  readonly number: number;
  /** Id of the element that the tab shows. */
  readonly panelId: string;
}

export interface VariantsProps {
  readonly variants: readonly VariantOfPrompt[];
  /** Number of the variant that is shown below. */
  readonly selected: number;
  readonly onSelect: (number: number) => void;
  /** Shows their changes side by side; absent if the server does not know them. */
  readonly onReview?: (() => void) | undefined;
  readonly t?: Translate;
}

const KEYS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Tabs for the variants of a prompt, with their facts side by side. */
function Variants({ variants, selected, onSelect, onReview, t = identity }: VariantsProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const at = variants.findIndex(({ number }) => number === selected);
    const next = variants[KEYS[event.key]?.(at, variants.length) ?? -1];
    if (next !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      onSelect(next.number);
    }
  };
  return (
    <div class="acp acp-variants" data-host="cell">
      <div role="tablist" aria-label={t('Variants')} onKeyDown={onKeyDown}>
        {variants.map(variant => (
          <Tab
            key={variant.turnId}
            {...variant}
            isSelected={variant.number === selected}
            onSelect={() => onSelect(variant.number)}
            t={t}
          />
        ))}
      </div>
      {onReview !== undefined && (
        <button
          type="button"
          class="btn quiet small"
          title={t('Show what the variants changed side by side')}
          onClick={onReview}
        >
          <Icon name="split" />
          {t('Review all variants')}
        </button>
      )}
    </div>
  );
}

interface TabProps extends VariantOfPrompt {
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  readonly t: Translate;
}

function Tab({ store, turnId, number, panelId, isSelected, onSelect, t }: TabProps) {
  const turn = useTurn(store, turnId);
  return (
    <button
      type="button"
      role="tab"
      aria-selected={isSelected}
      aria-controls={panelId}
      tabIndex={isSelected ? 0 : -1}
      data-state={stateOf(turn)}
      onClick={onSelect}
    >
      <VariantFacts {...{ store, turn, number, t }} />
    </button>
  );
}

/** Draws the tabs into an element. */
export function mountVariants(element: HTMLElement, props: VariantsProps): Mounted<VariantsProps> {
  injectSprite();
  const update = (next: VariantsProps) => render(<Variants {...next} />, element);
  update(props);
  return { update, dispose: () => render(null, element) };
}
