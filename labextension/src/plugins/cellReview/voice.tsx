import type { VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

import { useAnnouncer } from '../../views/parts/announcer';
import { mounted } from '../../views/parts/mounted';

type Say = (words: string) => void;

/** Says to users of screen readers what was done at a cell; the line that says so goes. */
export class CellAnnouncer {
  readonly #node = document.createElement('div');
  readonly #dispose: () => void;
  #say: Say = () => undefined;

  constructor(parent: HTMLElement) {
    this.#node.className = 'acp';
    parent.append(this.#node);
    const onReady = (say: Say) => {
      this.#say = say;
    };
    const regions = mounted(this.#node, { onReady }, given => <Regions {...given} />);
    this.#dispose = () => regions.dispose();
  }

  readonly say: Say = words => this.#say(words);

  dispose(): void {
    this.#dispose();
    this.#node.remove();
  }
}

function Regions({ onReady }: { readonly onReady: (say: Say) => void }): VNode {
  const { announce, regions } = useAnnouncer();
  useLayoutEffect(() => onReady(words => announce(words, 'polite')), [announce]);
  return regions;
}
